// SPDX-License-Identifier: Apache-2.0

/// A count with its noun, as English writes it: `1 device`, `3 devices`.
package enum Plural {
    /// The count and the noun in its number; nouns without a regular plural give it.
    package static func of(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
        "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
    }
}
