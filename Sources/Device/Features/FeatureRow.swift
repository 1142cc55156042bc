// SPDX-License-Identifier: Apache-2.0
import Base

/// The values of one epoch, as `FeatureRun` returns them.
package struct FeatureRow: Sendable, Hashable {
    package let epoch: Range<Instant>
    /// In the order of the columns; nil for what was not measured.
    package let values: [Double?]
    /// The share of the epoch for which there are samples, 0...1.
    package let coverage: Double

    package init(epoch: Range<Instant>, values: [Double?], coverage: Double) {
        (self.epoch, self.values, self.coverage) = (epoch, values, coverage)
    }
}
