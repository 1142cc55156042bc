// SPDX-License-Identifier: Apache-2.0
import CI2C
import CLinux

/// A transaction by SMBus calls, for adapters that know nothing else, like i2c-stub; `LinuxI2CBus` falls back
/// on it.
struct SMBusCalls {
    /// That of the open adapter; not closed here.
    let descriptor: CInt
    let functions: I2CFunctions
    let path: String
    /// The chip's, 7 bits.
    let address: UInt8

    /// Runs the operations by calls that put the same bytes on the wire; returns the bytes of all reads. Throws
    /// `unsupported` where no call does.
    func run(_ operations: [I2COperation]) throws(I2CError) -> [UInt8] {
        try LinuxI2CBus.check(clinux_i2c_address(descriptor, UInt(address)), address)
        var result: [UInt8] = []
        var rest = operations[...]
        while let operation = rest.popFirst() {
            switch (operation, rest.first) {
            case (.write(let register), .read(let count)?) where register.count == 1:
                rest.removeFirst()
                result += try read(register[0], count)
            case (.write(let bytes), _): try write(bytes)
            case (.read(1), _):
                result.append(UInt8(truncatingIfNeeded: try call { i2c_smbus_read_byte($0) }))
            default: throw .unsupported("\(path) has SMBus calls only, which cannot express this transfer")
            }
        }
        return result
    }

    private func write(_ bytes: [UInt8]) throws(I2CError) {
        let hasBlocks = functions.has(I2C_FUNC_SMBUS_WRITE_I2C_BLOCK)
        switch bytes.count {
        case 1: _ = try call { i2c_smbus_write_byte($0, bytes[0]) }
        case 2: _ = try call { i2c_smbus_write_byte_data($0, bytes[0], bytes[1]) }
        case 3 where !hasBlocks:
            let word = UInt16(bytes[2]) << 8 | UInt16(bytes[1])  // sent low byte first
            _ = try call { i2c_smbus_write_word_data($0, bytes[0], word) }
        case 3...33 where hasBlocks:  // the register and I2C_SMBUS_BLOCK_MAX bytes
            _ = try call {
                i2c_smbus_write_i2c_block_data($0, bytes[0], UInt8(bytes.count - 1), Array(bytes.dropFirst()))
            }
        default: throw .unsupported("\(path) has SMBus calls only, which do not write \(bytes.count) bytes")
        }
    }

    private func read(_ register: UInt8, _ count: Int) throws(I2CError) -> [UInt8] {
        let hasBlocks = functions.has(I2C_FUNC_SMBUS_READ_I2C_BLOCK)
        switch count {
        case 1: return [UInt8(truncatingIfNeeded: try call { i2c_smbus_read_byte_data($0, register) })]
        case 2 where !hasBlocks:
            let word = try call { i2c_smbus_read_word_data($0, register) }
            return [UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8)]
        case 2...32 where hasBlocks:
            var values = [UInt8](repeating: 0, count: 32)
            let got = try call { i2c_smbus_read_i2c_block_data($0, register, UInt8(count), &values) }
            guard got == Int32(count) else { throw .system(errno: EPROTO, address: address) }
            return Array(values.prefix(count))
        default:
            let most = functions.longestSMBusRead
            throw .unsupported("\(path) has SMBus calls only, which read \(most) bytes at once, not \(count)")
        }
    }

    private func call(_ body: (CInt) -> Int32) throws(I2CError) -> Int32 {
        let result = body(descriptor)
        try LinuxI2CBus.check(result, address)
        return result
    }
}
