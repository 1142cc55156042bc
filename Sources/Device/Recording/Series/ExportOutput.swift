// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit

/// Where an export of `studyd-tools`, the lab or a task's archive goes: a file, which appears under its name
/// when it is whole, an open descriptor, or a closure. Add to it, call `drain` after each row, and `finish` at
/// the end. One thread.
package final class ExportOutput {
    private static let piece = 65_536
    private let path: String
    /// Nil for standard output.
    private let target: TargetFile?
    private let descriptor: CInt
    /// Takes everything in place of a file.
    private let sink: (([UInt8]) throws(FileError) -> Void)?
    private var buffer: [UInt8] = []
    private var scratch = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1)

    /// A file; one of that name is replaced when the export is finished, and left alone when it
    /// fails. A device, a pipe or a link is written to.
    package convenience init(path: String) throws(FileError) {
        let target = try TargetFile(path, mode: 0o600)
        self.init(path, target, target.descriptor)
    }

    /// An open descriptor, such as that of standard output, which stays open.
    package convenience init(descriptor: CInt, name: String) { self.init(name, nil, descriptor) }

    /// `sink` takes pieces of some ten thousand bytes, in order.
    package convenience init(name: String, sink: @escaping ([UInt8]) throws(FileError) -> Void) {
        self.init(name, nil, -1, sink)
    }

    private init(
        _ path: String, _ target: TargetFile?, _ descriptor: CInt,
        _ sink: (([UInt8]) throws(FileError) -> Void)? = nil
    ) {
        (self.path, self.target, self.descriptor, self.sink) = (path, target, descriptor, sink)
        buffer.reserveCapacity(2 * Self.piece)
    }

    deinit { scratch.deallocate() }

    package func bytes(_ bytes: some Sequence<UInt8>) { buffer += bytes }

    package func byte(_ byte: UInt8) { buffer.append(byte) }

    package func text(_ text: String) { buffer += text.utf8 }

    /// Adds a number with 0...9 decimals; nothing for NaN, and from 9e18 units of the last decimal on.
    package func number(_ value: Double, _ decimals: Int) {
        let unit = Self.units[max(0, min(9, decimals))]
        let scaled = (value * Double(unit)).rounded()
        guard abs(scaled) < 9e18 else { return }
        if scaled < 0 { buffer.append(UInt8(ascii: "-")) }
        let (whole, rest) = Int64(scaled).magnitude.quotientAndRemainder(dividingBy: UInt64(unit))
        digits(whole, 1)
        guard decimals > 0 else { return }
        buffer.append(UInt8(ascii: "."))
        digits(rest, decimals)
    }

    /// Adds up to `capacity` bytes of rows that are written into memory directly.
    package func rows(capacity: Int, _ body: (inout RowBytes) -> Void) {
        if scratch.count < capacity {
            scratch.deallocate()
            scratch = .allocate(capacity: capacity)
        }
        guard let start = scratch.baseAddress else { return }
        var rows = RowBytes(start, capacity: capacity)
        body(&rows)
        buffer += UnsafeBufferPointer(start: start, count: rows.count)
    }

    /// Passes on what has been added when it is worth a system call; to be called after
    /// each row or block.
    package func drain() throws(FileError) { if buffer.count >= Self.piece { try flush() } }

    /// Writes the rest; a file takes its name.
    package func finish() throws(FileError) {
        try flush()
        try target?.finish()
    }

    /// 10^0 to 10^9.
    private static let units: [Int64] = (0...9).map { places in (0..<places).reduce(1) { value, _ in value * 10 } }

    /// Appends a number with at least `width` digits.
    private func digits(_ value: UInt64, _ width: Int) {
        var (value, count, place) = (value, 0, buffer.count)
        repeat {
            buffer.append(UInt8(0x30 + value % 10))
            value /= 10
            count += 1
        } while value > 0 || count < width
        var last = buffer.count - 1
        while place < last {
            buffer.swapAt(place, last)
            (place, last) = (place + 1, last - 1)
        }
    }

    private func flush() throws(FileError) {
        if let sink {
            try sink(buffer)
        } else if !File.write(buffer[...], to: descriptor) {
            throw .last("write", path)
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
