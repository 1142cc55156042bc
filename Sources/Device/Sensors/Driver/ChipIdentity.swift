// SPDX-License-Identifier: Apache-2.0

/// How a chip of one kind is recognised on an I2C bus, and which addresses it can have. Drivers check it at
/// each set-up, and `BusSurvey` names what it finds by it.
package struct ChipIdentity: Sendable, Hashable {
    /// The maker's name of the chip: `LIS3DH`.
    package let name: String
    /// The 7-bit addresses it can be strapped to, lowest first.
    package let addresses: [UInt8]
    /// The register that identifies it, and what that reads.
    package let register: UInt8
    package let value: UInt8
    /// The bits of `value` that count: others tell parts apart that are used alike.
    package var mask: UInt8 = 0xFF
    /// What the registers after `register` read, where one byte proves little.
    package var continuation: [UInt8] = []
    /// The pin that selects the address, as printed on boards; empty when the address is fixed.
    package var addressPin = ""
}
