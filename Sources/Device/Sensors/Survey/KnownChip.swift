// SPDX-License-Identifier: Apache-2.0

/// A chip that a survey of a bus can name: those of the catalog, and others that share
/// their addresses.
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
        let register: UInt8
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
    static let all: [KnownChip] = Catalog.chips.map { KnownChip($0.identity) } + others

    private init(_ identity: ChipIdentity) {
        name = identity.name
        addresses = identity.addresses
        marks = [
            Mark(register: identity.register, bytes: [identity.value] + identity.continuation, mask: identity.mask)
        ]
    }

    private init(_ name: String, _ addresses: [UInt8], _ marks: [Mark], _ role: Role) {
        self.name = name
        self.addresses = addresses
        self.marks = marks
        self.role = role
    }

    /// Register 0x00 of a DRV2605 has its number in b7:5: 3, and 7 for the L [M]. The clocks have
    /// no identity register.
    private static let others: [KnownChip] = [
        KnownChip("DRV2605", [0x5A], [Mark(register: 0x00, bytes: [0x60], mask: 0xE0)], .actuator),
        KnownChip("DRV2605L", [0x5A], [Mark(register: 0x00, bytes: [0xE0], mask: 0xE0)], .actuator),
        KnownChip("BMI270", [0x68, 0x69], [Mark(register: 0x00, bytes: [0x24])], .kernelOnly),
        KnownChip("DS3231", [0x68], [], .clock),
        KnownChip("PCF8523", [0x68], [], .clock),
    ]
}
