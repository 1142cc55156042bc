// SPDX-License-Identifier: Apache-2.0

/// The study variables in which anchors, the days from which runs are counted, are kept once they are known;
/// `MyStudiesSchedule` reads them.
package enum MyStudiesAnchors {
    /// A date answered in an activity; in a form `key` is `form/question`.
    package static func variable(activity: String, key: String) -> String { "anchor/activity/\(activity)/\(key)" }
    package static func variable(property: String) -> String { "anchor/property/\(property)" }
    /// A date that never becomes known.
    static let nothing = "anchor/nothing"
    /// All dates a property has had, where each new one adds runs.
    package static func all(of variable: String) -> String { variable + "/all" }
    /// The external system's value that came with the last of them.
    package static func external(of variable: String) -> String { variable + "/external" }
}
