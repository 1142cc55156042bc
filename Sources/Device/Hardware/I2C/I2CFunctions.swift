// SPDX-License-Identifier: Apache-2.0
import CI2C

/// What an adapter can do, as I2C_FUNCS tells: `LinuxI2CBus` chooses its calls by it.
struct I2CFunctions: Sendable {
    /// Of an adapter that was not asked yet.
    static let all = I2CFunctions(mask: .max)

    let mask: UInt

    func has(_ function: CInt) -> Bool { mask & UInt(UInt32(bitPattern: function)) != 0 }

    /// The most bytes that one SMBus call reads from a register.
    var longestSMBusRead: Int { has(I2C_FUNC_SMBUS_READ_I2C_BLOCK) ? 32 : has(I2C_FUNC_SMBUS_READ_WORD_DATA) ? 2 : 1 }
}
