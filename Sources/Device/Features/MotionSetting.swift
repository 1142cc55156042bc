// SPDX-License-Identifier: Apache-2.0

/// What `FeatureCatalog` makes features of acceleration with.
package struct MotionSetting: Sendable, Hashable {
    package let epoch: Epoch
    /// Samples per second, nominally.
    package let rate: Double

    package init(epoch: Epoch, rate: Double) { (self.epoch, self.rate) = (epoch, rate) }
}
