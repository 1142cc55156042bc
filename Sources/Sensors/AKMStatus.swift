// SPDX-License-Identifier: Apache-2.0

/// ST1 of AKM's magnetometers, wherever a chip has it: b0 DRDY, b1 DOR (a sample was skipped).
struct AKMStatus: Sendable, Hashable {
    private let bits: UInt8

    /// As it was read.
    init(_ bits: UInt8) { self.bits = bits }

    /// One sample or none; a skipped one counts only together with the one that followed it.
    var waiting: WaitingSamples {
        let isReady = bits & 0x01 != 0
        return WaitingSamples(level: isReady ? 1 : 0, isOverrun: isReady && bits & 0x02 != 0)
    }
}
