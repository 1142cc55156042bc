// SPDX-License-Identifier: Apache-2.0

/// A language in which the device has words of its own.
package enum Language: String, Sendable, Hashable, CaseIterable {
    case english = "en"
    case german = "de"
    case spanish = "es"

    /// The language of a tag as studies and voices write it: `de`, `de-AT`, `de_DE`, `de+f2`; nil
    /// where there are no words in it.
    package init?(tag: String) { self.init(rawValue: Self.primary(tag)) }

    /// What of a tag names the language itself: `es` of `es-419`.
    package static func primary(_ tag: String) -> String {
        tag.lowercased().prefix { $0.isLetter }.description
    }

    /// Between a number's whole and its fraction, as CLDR has it (`numbers.xml`,
    /// `symbols/decimal`).
    package var decimalSeparator: Character { self == .english ? "." : "," }
}
