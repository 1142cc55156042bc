// SPDX-License-Identifier: Apache-2.0

/// Something the device says or prints, in every language that it has words in.
///
/// All languages stand side by side, so that none can lack a phrase: the compiler asks for
/// each. `{0}`, `{1}` … are places that are filled when it is said; where they stand is the
/// language's own affair.
package struct Phrase: Sendable, Hashable {
    private let english: String
    private let german: String
    private let spanish: String

    package init(_ english: String, de german: String, es spanish: String) {
        self.english = english
        self.german = german
        self.spanish = spanish
    }

    /// As it stands in the table of that language, its places unfilled.
    package func text(in language: Language) -> String {
        switch language {
        case .english: english
        case .german: german
        case .spanish: spanish
        }
    }
}

/// A phrase that names a number of things in its place `{0}`.
///
/// English, German and Spanish have one form for exactly one and another for everything else that
/// is counted here (CLDR, `plurals.xml`, cardinal rules; Spanish has a third from a million on).
package struct CountedPhrase: Sendable, Hashable {
    package let one: Phrase
    /// For none, and for two and more.
    package let other: Phrase

    package init(one: Phrase, other: Phrase) {
        self.one = one
        self.other = other
    }

    package subscript(count: Int) -> Phrase { count == 1 ? one : other }
}
