// SPDX-License-Identifier: Apache-2.0

/// Numbers the repeated values among a question's choices, so that each has a key of its own. A study's reader
/// and the lab's codebook (`SageCodebook`) must number alike.
package struct ChoiceKeys {
    private var counts: [String: Int] = [:]

    package init() {}

    /// The value itself, or with a number if it came before.
    package mutating func key(_ value: String) -> String {
        let count = counts[value, default: 0] + 1
        counts[value] = count
        return count == 1 ? value : key("\(value)/again/\(count)")
    }
}
