// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// The chunks of an XDF file, stream after stream, in constant memory, for `XDFExporter`: `open`, `add` for
/// each sample, `close`.
///
/// Source: github.com/sccn/xdf/wiki/Specifications, XDF 1.0. A chunk is its length with the
/// length's own width before it (1, 4 or 8 bytes), a tag of 16 bits, and the content; all numbers
/// are little-endian.
package struct XDFWriter {
    private enum Tag: UInt16 {
        case fileHeader = 1
        case streamHeader, samples, clockOffset, boundary, streamFooter
    }

    /// Samples of a chunk.
    private static let chunk = 256
    /// Chunks between two boundaries, from which a reader goes on after damage.
    private static let stretch = 64
    /// The 16 bytes of a boundary, which the specification fixes.
    private static let mark: [UInt8] = [
        0x43, 0xA5, 0x46, 0xDC, 0xCB, 0xF5, 0x41, 0x0F, 0xB3, 0x0E, 0xD5, 0x46, 0x73, 0x83, 0xCB, 0xE4,
    ]

    private let output: ExportOutput
    /// Number of the open stream, from 1.
    private var stream: UInt32 = 0
    /// The encoded samples of the chunk under way, and how many they are.
    private var samples: [UInt8] = []
    private var waiting = 0
    /// Chunks of samples written so far, in all streams.
    private var chunks = 0
    /// For the footer of the open stream: how many samples it has, and their first and last times.
    private var count = 0
    private var first: Double?
    private var last: Double?

    /// Writes the head of the file; `begun` is RFC 3339.
    package init(to output: ExportOutput, begun: String?) {
        self.output = output
        output.text("XDF:")
        let time = begun.map { "<datetime>\(Markup.escaped($0))</datetime>" } ?? ""
        put(.fileHeader, Array("<?xml version=\"1.0\"?><info><version>1.0</version>\(time)</info>".utf8))
    }

    /// Begins a stream; the one before is to be closed. `offsets`: time of day, in seconds
    /// since 1970, minus the stream's clock, at moments of that clock.
    package mutating func open(_ header: XDFStream, offsets: [(uptime: Double, offset: Double)]) {
        stream += 1
        (count, first, last) = (0, nil, nil)
        put(.streamHeader, Self.bytes(stream) + header.xml.utf8)
        for (uptime, offset) in offsets {
            put(.clockOffset, Self.bytes(stream) + Self.bytes(uptime.bitPattern) + Self.bytes(offset.bitPattern))
        }
    }

    /// Adds a sample to the open stream, which must be one of numbers (not `XDFStream.isText`): a value for
    /// each channel, NaN for nil.
    package mutating func add(_ values: some Sequence<Double?>, at uptime: Double) throws(FileError) {
        begin(at: uptime)
        for value in values { samples += Self.bytes((value ?? .nan).bitPattern) }
        try end()
    }

    /// Adds a marker to the open stream, which must be one of texts (`XDFStream.isText`).
    package mutating func add(_ text: String, at uptime: Double) throws(FileError) {
        begin(at: uptime)
        samples += Self.variable(text.utf8.count) + text.utf8
        try end()
    }

    /// Writes the open stream's last samples and its footer.
    package mutating func close() throws(FileError) {
        flush()
        let times = [("first_timestamp", first), ("last_timestamp", last)]
            .compactMap { name, time in time.map { "<\(name)>\(Decimals.text($0, 9))</\(name)>" } }.joined()
        let xml = "<?xml version=\"1.0\"?><info>\(times)<sample_count>\(count)</sample_count></info>"
        put(.streamFooter, Self.bytes(stream) + xml.utf8)
        put(.boundary, Self.mark)
        try output.drain()
    }

    private mutating func begin(at uptime: Double) {
        samples.append(8)  // bytes of the time stamp
        samples += Self.bytes(uptime.bitPattern)
        (first, last) = (first ?? uptime, uptime)
    }

    private mutating func end() throws(FileError) {
        (count, waiting) = (count + 1, waiting + 1)
        guard waiting == Self.chunk else { return }
        flush()
        try output.drain()
    }

    private mutating func flush() {
        guard waiting > 0 else { return }
        put(.samples, Self.bytes(stream) + Self.variable(waiting) + samples)
        samples.removeAll(keepingCapacity: true)
        (waiting, chunks) = (0, chunks + 1)
        if chunks % Self.stretch == 0 { put(.boundary, Self.mark) }
    }

    private func put(_ tag: Tag, _ content: [UInt8]) {
        output.bytes(Self.variable(content.count + 2))
        output.bytes(Self.bytes(tag.rawValue))
        output.bytes(content)
    }

    private static func variable(_ length: Int) -> [UInt8] {
        if let short = UInt8(exactly: length) { return [1, short] }
        if let medium = UInt32(exactly: length) { return [4] + bytes(medium) }
        return [8] + bytes(UInt64(length))
    }

    private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}
