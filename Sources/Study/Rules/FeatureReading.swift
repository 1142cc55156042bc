// SPDX-License-Identifier: Apache-2.0
import Base

/// The value of a feature at a moment, computed over its window by `FeatureWindow`, as a decision keeps it.
package struct FeatureReading: LoggedRecord {
    /// nil where too little of the window is covered.
    package let value: Double?
    /// The share of the window that samples cover, 0...1.
    package let coverage: Double
    /// The begin of the first and the end of the last epoch that counted; nil where none did.
    package let from: Instant?
    package let to: Instant?
    /// Numbers of the recordings that were open meanwhile, rising; nil where there was none.
    package let recordings: [Int]?
}
