// SPDX-License-Identifier: Apache-2.0

/// How many samples a chip holds, and whether it has thrown any away: its driver reads this, and
/// `SampledDevice` fetches and counts by it.
package struct FIFOStatus: Sendable, Hashable {
    /// Samples that can be fetched now.
    package let level: Int
    /// Samples were overwritten before they were fetched. No supported chip tells how many.
    package let isOverrun: Bool
}

extension FIFOStatus {
    /// For a chip that keeps one sample, from the bits of its status register: `ready`, a sample is
    /// there, and `overrun`, one was overwritten, which is ignored until the next sample is there.
    init(status: UInt8, ready: UInt8, overrun: UInt8) {
        let isReady = status & ready != 0
        self.init(level: isReady ? 1 : 0, isOverrun: isReady && status & overrun != 0)
    }
}
