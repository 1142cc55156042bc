// SPDX-License-Identifier: Apache-2.0

/// What AKM's magnetometers do with ST1, their data and ST2: the data do not change from the first
/// byte read until ST2 is read, and ST1 says whether there is a sample (b0 DRDY) and whether one
/// was skipped (b1 DOR). Each chip has these registers at other addresses.
struct AKMOutputs: Sendable {
    /// While the data registers are being read, no sample enters them.
    private var isLocked = false

    /// A data register is read, which clears the flags of ST1.
    mutating func readData(status: inout UInt8) {
        status &= ~0x03
        isLocked = true
    }

    /// ST2 is read, which lets the next sample in.
    mutating func readEnd(status: inout UInt8) {
        status &= ~0x03
        isLocked = false
    }

    /// A sample came. False when it is skipped.
    mutating func admit(status: inout UInt8) -> Bool {
        guard !isLocked else {
            status |= 0x02
            return false
        }
        status = status & 0x01 != 0 ? 0x03 : 0x01
        return true
    }
}
