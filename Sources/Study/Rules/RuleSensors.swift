// SPDX-License-Identifier: Apache-2.0
import Base

/// What a file of rules may name on this device: kinds of features, sensors and event markers.
/// `StudyRulesReader` checks a file against it.
package struct RuleSensors: Sendable {
    package struct Column: Sendable, Hashable {
        package let name: String
        package let unit: String

        package init(_ name: String, _ unit: String) { (self.name, self.unit) = (name, unit) }
    }

    package struct Kind: Sendable {
        package let name: String
        /// `accelerometer`, `sound` or `position`.
        package let source: String
        /// What it computes in epochs of that length; nil where it cannot use that length.
        package let columns: @Sendable (Duration) -> [Column]?

        package init(_ name: String, source: String, columns: @escaping @Sendable (Duration) -> [Column]?) {
            (self.name, self.source, self.columns) = (name, source, columns)
        }
    }

    package let kinds: [Kind]
    /// The lengths that an epoch can have, in words.
    package let epochs: String
    /// The sources that the device has, and what to do about any other; nil = not checked.
    package let present: (sources: Set<String>, remedy: String)?
    /// What to do so that `worn` is known; nil = nothing, or not checked.
    package let wear: String?
    /// The names of the board's event markers; nil = not checked.
    package let markers: [String]?

    package init(
        kinds: [Kind], epochs: String, present: (sources: Set<String>, remedy: String)? = nil, wear: String? = nil,
        markers: [String]? = nil
    ) {
        (self.kinds, self.epochs, self.present) = (kinds, epochs, present)
        (self.wear, self.markers) = (wear, markers)
    }

    package static let sources = ["accelerometer", "sound", "position"]

    /// What a column's values can be, by which a condition that none of them meets is found. A column
    /// that can be negative needs a line here.
    static func range(of column: String) -> ClosedRange<Double> {
        switch column {
        case "angle_z": -90...90
        case "worn", "visit": 0...1
        case "sound": 0...2
        case "laeq": -20...200
        default: 0...Double.infinity
        }
    }
}
