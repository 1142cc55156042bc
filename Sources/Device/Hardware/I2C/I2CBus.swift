// SPDX-License-Identifier: Apache-2.0

/// One part of a transaction; parts are joined by repeated START.
package enum I2COperation: Sendable, Hashable {
    case write([UInt8])
    case read(Int)
}

/// Runs whole transactions: START, operations joined by repeated START, STOP. Drivers talk to their chips
/// through it; `LinuxI2CBus` is the real one.
///
/// Called from the bus's own thread only; blocks for as long as the transfer takes.
package protocol I2CBus: Sendable {
    /// Runs `operations` with the device at the 7-bit `address`; the bytes of all reads, in order.
    func transaction(_ address: UInt8, _ operations: [I2COperation]) throws(I2CError) -> [UInt8]
    /// The most bytes that one read can move; without limit unless the bus says otherwise.
    var longestRead: Int { get }
    /// True when a driver of the kernel owns the address, so that no program may talk to it. Sends
    /// nothing.
    func isTakenByKernel(_ address: UInt8) -> Bool
    /// Fills `bytes` with what begins at `register`; samples are read this way. A real bus
    /// allocates nothing for it.
    func read(_ address: UInt8, register: UInt8, into bytes: UnsafeMutableRawBufferPointer) throws(I2CError)
    /// Writes one register. A real bus allocates nothing for it.
    func write(_ address: UInt8, register: UInt8, _ value: UInt8) throws(I2CError)
}

extension I2CBus {
    /// False: right for a bus that is not the kernel's.
    package func isTakenByKernel(_ address: UInt8) -> Bool { false }
    package var longestRead: Int { .max }

    /// Reads `count` bytes that begin at `register`. Whether the chip goes on to the next register
    /// by itself depends on the chip: some need bit 7 of `register` set for it. Where the bus
    /// cannot move that many bytes at once the read is cut as `pieces` says, and refused as
    /// `unsupported` where they do not allow it.
    package func read(
        _ address: UInt8, register: UInt8, count: Int, pieces: I2CPieces = .whole
    ) throws(I2CError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        try bytes.withUnsafeMutableBufferPointer { (buffer) throws(I2CError) in
            try read(address, register: register, into: UnsafeMutableRawBufferPointer(buffer), pieces: pieces)
        }
        return bytes
    }

    /// Register and value go in one write.
    package func write(_ address: UInt8, register: UInt8, _ value: UInt8) throws(I2CError) {
        _ = try transaction(address, [.write([register, value])])
    }

    /// In one transaction; a bus that brings another number of bytes has failed.
    package func read(_ address: UInt8, register: UInt8, into bytes: UnsafeMutableRawBufferPointer) throws(I2CError) {
        let found = try transaction(address, [.write([register]), .read(bytes.count)])
        guard found.count == bytes.count else { throw .unsupported("\(found.count) of \(bytes.count) bytes read") }
        bytes.copyBytes(from: found)
    }

    /// As `read(_:register:into:)`, cut as `pieces` says where the bus cannot move that many bytes
    /// at once.
    package func read(
        _ address: UInt8, register: UInt8, into bytes: UnsafeMutableRawBufferPointer, pieces: I2CPieces
    ) throws(I2CError) {
        guard bytes.count > longestRead else { return try read(address, register: register, into: bytes) }
        guard let length = pieces.length(limit: longestRead) else {
            throw .unsupported("\(bytes.count) bytes at once; the adapter moves \(longestRead)")
        }
        var (next, register) = (0, register)
        while next < bytes.count {
            let part = min(length, bytes.count - next)
            try read(
                address, register: register, into: UnsafeMutableRawBufferPointer(rebasing: bytes[next..<next + part]))
            next += part
            register = pieces.register(register, after: part)
        }
    }
}
