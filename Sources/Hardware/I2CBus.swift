// SPDX-License-Identifier: Apache-2.0

/// One part of a transaction; parts are joined by repeated START.
public enum I2COperation: Sendable, Hashable {
    case write([UInt8])
    case read(Int)
}

/// Why a transaction failed.
public enum I2CError: Error, Sendable, Hashable {
    /// Nobody answered at the address: not fitted, not powered, or the wrong address.
    case noAcknowledge(address: UInt8)
    /// Another master won the bus.
    case arbitrationLost(address: UInt8)
    /// A line was held low for too long.
    case timeout(address: UInt8)
    /// The adapter is gone.
    case busVanished
    /// The adapter cannot do this transaction.
    case unsupported(String)
    /// Anything else the kernel said.
    case system(errno: CInt, address: UInt8)
}

/// Runs whole transactions: START, operations joined by repeated START, STOP.
///
/// Called from the bus's own thread only; blocks for as long as the transfer takes.
public protocol I2CBus: Sendable {
    /// Runs `operations` with the device at the 7-bit `address`; the bytes of all reads, in order.
    func transaction(_ address: UInt8, _ operations: [I2COperation]) throws(I2CError) -> [UInt8]

    /// True when a driver of the kernel owns the address, so that nobody else may talk to it. Sends nothing.
    func isTakenByKernel(_ address: UInt8) -> Bool
    /// The most bytes that one read can move; without limit unless the bus says otherwise.
    var longestRead: Int { get }
}

extension I2CBus {
    /// False: a bus that is not the kernel's.
    public func isTakenByKernel(_ address: UInt8) -> Bool { false }
    /// Without limit.
    public var longestRead: Int { .max }

    /// Reads `count` bytes that begin at `register`. Whether the chip goes on to the next register by itself is the
    /// chip's affair: some need bit 7 of `register` set for it. Where the bus cannot move so many bytes at once the read is
    /// cut as `pieces` says, and refused as `unsupported` where they do not allow it.
    public func read(
        _ address: UInt8, register: UInt8, count: Int, pieces: I2CPieces = .whole
    ) throws(I2CError) -> [UInt8] {
        guard count > longestRead else { return try transaction(address, [.write([register]), .read(count)]) }
        guard let length = pieces.length(limit: longestRead) else {
            throw .unsupported("\(count) bytes at once; the adapter moves \(longestRead)")
        }
        var bytes: [UInt8] = []
        var register = register
        while bytes.count < count {
            let part = min(length, count - bytes.count)
            bytes += try transaction(address, [.write([register]), .read(part)])
            register = pieces.register(register, after: part)
        }
        return bytes
    }

    /// Writes one register.
    public func write(_ address: UInt8, register: UInt8, _ value: UInt8) throws(I2CError) {
        _ = try transaction(address, [.write([register, value])])
    }
}
