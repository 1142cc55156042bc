// SPDX-License-Identifier: Apache-2.0

/// `[feature.NAME]` of a file of rules: one column of a sensor's epochs, reduced to a number over a window. The
/// agent's `RuleTap` computes the epochs, `FeatureWindow` the number.
package struct RuleFeature: Sendable, Hashable {
    package enum Reduction: String, Sendable, CaseIterable {
        case sum, mean, min, max, last
    }
    package let name: String
    /// `accelerometer`, `sound` or `position`.
    package let source: String
    /// A name of the catalog of features, such as `agcounts`.
    package let kind: String
    package let epoch: Duration
    package let window: Duration
    package let reduction: Reduction
    package let column: String
    /// The column's unit: `1`, `g`, `deg`, `dB`, `s`.
    package let unit: String
    /// The least share of the window that samples must cover for a value, above 0 to 1.
    package let needs: Double
}
