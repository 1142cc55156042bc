// SPDX-License-Identifier: Apache-2.0
import Base

/// What rules may name: features of the catalog, and the sensors that they are made of.
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
        /// Nil where no epoch of that length serves it.
        package let columns: @Sendable (Duration) -> [Column]?

        package init(_ name: String, source: String, columns: @escaping @Sendable (Duration) -> [Column]?) {
            (self.name, self.source, self.columns) = (name, source, columns)
        }
    }

    package let kinds: [Kind]
    /// The lengths of epochs, in words.
    package let epochs: String
    /// Those there are here, and why another is none; nil = not asked.
    package let present: (sources: Set<String>, remedy: String)?

    /// What to do so that `worn` can be known; nil = it is.
    package let wear: String?

    package init(
        kinds: [Kind], epochs: String, present: (sources: Set<String>, remedy: String)? = nil, wear: String? = nil
    ) {
        (self.kinds, self.epochs, self.present, self.wear) = (kinds, epochs, present, wear)
    }

    package static let sources = ["accelerometer", "sound", "position"]

    /// What a column's values can be, for conditions that no value meets.
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
