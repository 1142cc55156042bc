// SPDX-License-Identifier: Apache-2.0

/// A chip that `BusSurvey` can name: those of the catalog, and others that share their addresses.
struct KnownChip: Sendable, Hashable {
    /// What it is to studyd.
    enum Role: Sendable, Hashable {
        /// A sensor of the catalog: a board file may name it.
        case sensor
        /// Known to the board file under another key than `[[chip]]`.
        case actuator
        /// A clock, which belongs to the kernel.
        case clock
        /// A sensor without a driver here; the kernel has one.
        case kernelOnly
    }

    /// Evidence of a chip: what one register, and those after it, read under a mask.
    struct Mark: Sendable, Hashable {
        var register: UInt8 = 0x00
        let bytes: [UInt8]
        var mask: UInt8 = 0xFF

        func fits(_ read: [UInt8]) -> Bool {
            read.count == bytes.count && zip(read, bytes).allSatisfy { $0 & mask == $1 & mask }
        }
    }

    let name: String
    let addresses: [UInt8]
    /// All must fit what is read; empty for a clock.
    let marks: [Mark]
    var role = Role.sensor

    /// All known chips, those of the catalog first and in its order.
    static let all: [KnownChip] =
        ChipCatalog.chips.map(\.identity).map { chip in
            let mark = Mark(register: chip.register, bytes: [chip.value] + chip.continuation, mask: chip.mask)
            return KnownChip(name: chip.name, addresses: chip.addresses, marks: [mark])
        } + others

    /// Register 0x00 of a DRV2605 has its number in b7:5: 3, and 7 for the L [M]. The clocks have
    /// no identity register.
    private static let others = [
        KnownChip(name: "DRV2605", addresses: [0x5A], marks: [Mark(bytes: [0x60], mask: 0xE0)], role: .actuator),
        KnownChip(name: "DRV2605L", addresses: [0x5A], marks: [Mark(bytes: [0xE0], mask: 0xE0)], role: .actuator),
        KnownChip(name: "BMI270", addresses: [0x68, 0x69], marks: [Mark(bytes: [0x24])], role: .kernelOnly),
        KnownChip(name: "DS3231", addresses: [0x68], marks: [], role: .clock),
        KnownChip(name: "PCF8523", addresses: [0x68], marks: [], role: .clock),
    ]
}
