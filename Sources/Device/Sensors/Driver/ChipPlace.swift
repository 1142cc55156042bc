// SPDX-License-Identifier: Apache-2.0
import Base

/// Which chip is expected where, for its driver and for messages.
package struct ChipPlace: Sendable, Hashable {
    /// The bus as people call it: `i2c-1`.
    private let bus: String
    /// The 7-bit address.
    package let address: UInt8
    package let chip: ChipIdentity

    package init(bus: String, address: UInt8, chip: ChipIdentity) {
        self.bus = bus
        self.address = address
        self.chip = chip
        location = "\(bus) \(hexadecimal(address))"
    }

    /// `chip` behind a driver of the kernel, as `device`: the kernel keeps its bus and address.
    package init(device: String, chip: ChipIdentity) {
        bus = ""
        address = 0
        self.chip = chip
        location = device
    }

    /// `i2c-1 0x18`, as in `SourceDescription.location`.
    package let location: String
}
