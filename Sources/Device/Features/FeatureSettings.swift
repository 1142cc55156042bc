// SPDX-License-Identifier: Apache-2.0

/// What features of acceleration are made with.
package struct MotionSetting: Sendable, Hashable {
    package let epoch: Epoch
    /// Samples per second, nominally.
    package let rate: Double

    package init(epoch: Epoch, rate: Double) { (self.epoch, self.rate) = (epoch, rate) }
}

/// What features of sound levels are made with; there is one level a second.
package struct LevelSetting: Sendable, Hashable {
    package let epoch: Epoch

    package init(epoch: Epoch) { self.epoch = epoch }
}

/// What features of positions are made with.
package struct PositionSetting: Sendable, Hashable {
    package let epoch: Epoch
    /// Fixes per second, nominally.
    package let rate: Double

    package init(epoch: Epoch, rate: Double = 1) { (self.epoch, self.rate) = (epoch, rate) }
}
