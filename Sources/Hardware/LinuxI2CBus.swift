// SPDX-License-Identifier: Apache-2.0
import CI2C
import CLinux

/// An I2C adapter of the kernel, `/dev/i2c-N`: combined transfers by I2C_RDWR, SMBus calls where it has no plain I2C.
public final class LinuxI2CBus: I2CBus {
    /// The kernel's own limit of one message (I2C_RDWR).
    static let mostBytes = 8192
    /// The kernel's own limit of messages in one transfer.
    static let mostMessages = 42

    /// The adapter's device file.
    public let path: String
    private let descriptor: Descriptor
    private let hasPlainI2C: Bool

    /// Opens an adapter and asks what it can do.
    public init(path: String) throws(SystemError) {
        descriptor = try Descriptor(opening: path, flags: O_RDWR)
        var functions: UInt = 0
        guard clinux_i2c_functions(descriptor.rawValue, &functions) == 0 else {
            throw SystemError.last("ask for I2C functions of", path)
        }
        hasPlainI2C = functions & UInt(I2C_FUNC_I2C) != 0
        self.path = path
    }

    /// Opens `/dev/i2c-N`.
    public convenience init(number: Int) throws(SystemError) { try self.init(path: "/dev/i2c-\(number)") }

    /// Blocks until the transfer is over. Throws `unsupported` for 10-bit addresses, beyond the kernel's limits,
    /// and for what SMBus calls cannot express where the adapter has no others.
    public func transaction(_ address: UInt8, _ operations: [I2COperation]) throws(I2CError) -> [UInt8] {
        guard address < 0x80 else { throw .unsupported("10-bit address \(address)") }
        return hasPlainI2C ? try transfer(address, operations) : try smbus(address, operations)
    }

    /// As a transaction; with plain I2C the kernel writes straight into `bytes`.
    public func read(
        _ address: UInt8, register: UInt8, into bytes: UnsafeMutableRawBufferPointer
    ) throws(I2CError) {
        guard hasPlainI2C, address < 0x80, bytes.count <= Self.mostBytes else {
            return bytes.copyBytes(from: try transaction(address, [.write([register]), .read(bytes.count)]))
        }
        let code = errorCode(
            clinux_i2c_read(descriptor.rawValue, UInt16(address), register, bytes.baseAddress, UInt16(bytes.count)))
        if code != 0 { throw Self.error(code, address: address) }
    }

    /// As a transaction; with plain I2C without an array.
    public func write(_ address: UInt8, register: UInt8, _ value: UInt8) throws(I2CError) {
        guard hasPlainI2C, address < 0x80 else {
            _ = try transaction(address, [.write([register, value])])
            return
        }
        let code = errorCode(clinux_i2c_write(descriptor.rawValue, UInt16(address), register, value))
        if code != 0 { throw Self.error(code, address: address) }
    }

    /// One I2C_RDWR; all bytes lie in one buffer, to which the messages point.
    private func transfer(_ address: UInt8, _ operations: [I2COperation]) throws(I2CError) -> [UInt8] {
        guard operations.count <= Self.mostMessages, operations.allSatisfy({ $0.length <= Self.mostBytes }) else {
            throw .unsupported("a transfer of more than \(Self.mostMessages) parts or \(Self.mostBytes) bytes a part")
        }
        var bytes = operations.flatMap(\.bytes)
        let code = bytes.withUnsafeMutableBufferPointer { buffer -> CInt in
            var offset = 0
            var messages = operations.map { operation in
                defer { offset += operation.length }
                return i2c_msg(
                    addr: UInt16(address), flags: operation.isRead ? UInt16(I2C_M_RD) : 0,
                    len: UInt16(operation.length), buf: buffer.baseAddress.map { $0 + offset })
            }
            return errorCode(clinux_i2c_transfer(descriptor.rawValue, &messages, UInt32(messages.count)))
        }
        if code != 0 { throw Self.error(code, address: address) }
        var offset = 0
        var result: [UInt8] = []
        for operation in operations {
            if operation.isRead { result += bytes[offset..<offset + operation.length] }
            offset += operation.length
        }
        return result
    }

    /// The SMBus call with the same bytes on the wire; adapters like i2c-stub know nothing else.
    private func smbus(_ address: UInt8, _ operations: [I2COperation]) throws(I2CError) -> [UInt8] {
        let code = errorCode(clinux_i2c_address(descriptor.rawValue, UInt(address)))
        if code != 0 { throw Self.error(code, address: address) }
        switch (operations.first, operations.dropFirst().first, operations.count) {
        case (.write(let bytes)?, nil, 1): return try smbusWrite(address, bytes)
        case (.read(1)?, nil, 1): return [UInt8(try smbusResult(address) { i2c_smbus_read_byte($0) })]
        case (.write(let register)?, .read(let count)?, 2) where register.count == 1 && (1...32).contains(count):
            return try smbusRead(address, register[0], count)
        default: throw .unsupported("\(path) has SMBus calls only, which cannot express this transfer")
        }
    }

    private func smbusWrite(_ address: UInt8, _ bytes: [UInt8]) throws(I2CError) -> [UInt8] {
        switch bytes.count {
        case 1: _ = try smbusResult(address) { i2c_smbus_write_byte($0, bytes[0]) }
        case 2: _ = try smbusResult(address) { i2c_smbus_write_byte_data($0, bytes[0], bytes[1]) }
        case 3...33:
            _ = try smbusResult(address) {
                i2c_smbus_write_i2c_block_data($0, bytes[0], UInt8(bytes.count - 1), Array(bytes.dropFirst()))
            }
        default: throw .unsupported("\(path) has SMBus calls only, which write 1 to 33 bytes")
        }
        return []
    }

    private func smbusRead(_ address: UInt8, _ register: UInt8, _ count: Int) throws(I2CError) -> [UInt8] {
        if count == 1 { return [UInt8(try smbusResult(address) { i2c_smbus_read_byte_data($0, register) })] }
        var values = [UInt8](repeating: 0, count: 32)
        let got = try smbusResult(address) {
            i2c_smbus_read_i2c_block_data($0, register, UInt8(count), &values)
        }
        guard got == Int32(count) else { throw .system(errno: EPROTO, address: address) }
        return Array(values.prefix(count))
    }

    private func smbusResult(_ address: UInt8, _ call: (CInt) -> Int32) throws(I2CError) -> Int32 {
        let result = call(descriptor.rawValue)
        let code = errorCode(result)
        if code != 0 { throw Self.error(code, address: address) }
        return result
    }

    private func errorCode(_ result: CInt) -> CInt { result < 0 ? SystemError.last("").code : 0 }

    /// What an errno of the I2C core means (Documentation/i2c/fault-codes.rst of the kernel).
    static func error(_ code: CInt, address: UInt8) -> I2CError {
        switch code {
        case ENXIO, EREMOTEIO: .noAcknowledge(address: address)
        case EAGAIN: .arbitrationLost(address: address)
        case ETIMEDOUT: .timeout(address: address)
        case ENODEV, ESHUTDOWN: .busVanished
        case EOPNOTSUPP: .unsupported("the adapter refused this transfer")
        default: .system(errno: code, address: address)
        }
    }
}

extension I2COperation {
    fileprivate var isRead: Bool {
        if case .read = self { true } else { false }
    }
    fileprivate var length: Int { bytes.count }
    fileprivate var bytes: [UInt8] {
        switch self {
        case .write(let bytes): bytes
        case .read(let count): [UInt8](repeating: 0, count: max(0, count))
        }
    }
}
