// SPDX-License-Identifier: Apache-2.0
import Base

/// The features of one sensor in one epoch: numbers computed from its samples over a span of fixed length,
/// which begins at a multiple of that length. The agent's recorder computes them for `RuleEngine`.
package struct FeatureEpoch: Sendable, Hashable {
    /// `accelerometer`, `sound` or `position`.
    package let source: String
    package let start: Instant
    package let length: Duration
    package let columns: [String]
    /// In the order of the columns; nil for what was not measured.
    package let values: [Double?]
    /// The share of the epoch that samples cover, 0...1.
    package let coverage: Double
    /// The number of the recording that was open; nil = none.
    package let recording: Int?

    package init(
        source: String, start: Instant, length: Duration, columns: [String], values: [Double?], coverage: Double,
        recording: Int? = nil
    ) {
        (self.source, self.start, self.length) = (source, start, length)
        (self.columns, self.values, self.coverage, self.recording) = (columns, values, coverage, recording)
    }

    package var end: Instant { start + length }
}
