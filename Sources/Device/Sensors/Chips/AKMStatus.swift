// SPDX-License-Identifier: Apache-2.0

/// ST1 and ST2 of AKM's magnetometers, wherever a chip has it: b0 DRDY, b1 DOR (a
/// sample was skipped).
struct AKMStatus: Sendable, Hashable {
    private let bits: UInt8

    init(_ bits: UInt8) { self.bits = bits }

    /// ST2 b3 HOFL: the sum of the axes was beyond what the sensor can hold, so the data are wrong
    /// (the kernel's ak8975.c drops them, too).
    static func isOverflow(_ end: UInt8) -> Bool { end & 0x08 != 0 }

    /// One sample or none; a skipped one counts only together with the one that followed it.
    var waiting: FIFOStatus {
        let isReady = bits & 0x01 != 0
        return FIFOStatus(level: isReady ? 1 : 0, isOverrun: isReady && bits & 0x02 != 0)
    }
}
