// SPDX-License-Identifier: Apache-2.0

/// Samples missing since the last frame that went into the ring; the reason is that of the largest
/// number added at once, and of the first among equals.
struct SampleGap {
    private(set) var count: UInt32 = 0
    private(set) var reason: UInt8 = 0
    private var largest = 0

    mutating func add(_ samples: Int, _ reason: LossReason) {
        count = UInt32(clamping: Int(count) + samples)
        guard samples > largest else { return }
        largest = samples
        self.reason = reason.rawValue
    }
}
