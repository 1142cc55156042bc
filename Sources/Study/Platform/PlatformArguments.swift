// SPDX-License-Identifier: Apache-2.0
import Base

/// Options of platforms as they were given on a command line or in a setup file, each with its values in order.
/// A switch has the value "".
package struct PlatformArguments: Codable, Sendable, Hashable {
    private var values: [String: [String]] = [:]

    package init() {}

    /// The last value of that option; nil where it was not given.
    package subscript(name: String) -> String? { values[name]?.last }
    /// Every value of that option, in order.
    package func all(_ name: String) -> [String] { values[name] ?? [] }
    package func has(_ name: String) -> Bool { values[name] != nil }

    package mutating func add(_ name: String, _ value: String = "") { values[name, default: []].append(value) }
}

/// An option of a platform with a meaningless value.
package struct PlatformArgumentError: ExplainedError, Sendable, Hashable {
    /// Which option, what is wrong and what to write.
    package let explanation: Explanation

    /// `option` as it was written; nil where the cause names it.
    package init(_ cause: String, of option: String? = nil, remedy: String? = nil) {
        explanation = Explanation(place: option, cause: cause, remedy: remedy)
    }
}
