// SPDX-License-Identifier: Apache-2.0

/// Something the device says or prints, by its English text; `Words` gives it in the study's language.
///
/// Other languages have it in their catalogues (`Sources/Study/Languages`), by the same text; what
/// a catalogue lacks stays English. `{0}`, `{1}` … are places that are filled when it is said; each
/// language decides where they come.
package struct Phrase: Sendable, Hashable {
    package let english: String
    /// Tells apart phrases that are the same in English and differ in other languages: gettext's `msgctxt`.
    package let context: String?

    package init(_ english: String, context: String? = nil) { (self.english, self.context) = (english, context) }

    /// With its places unfilled.
    package func text(in language: Language) -> String { language.texts(self)?.first ?? english }
}

/// A phrase that names a number of things in its place `{0}`.
package struct CountedPhrase: Sendable, Hashable {
    private let one: Phrase
    private let other: String

    /// `other` is the English form for none, and for two and more.
    package init(one: String, other: String, context: String? = nil) {
        self.one = Phrase(one, context: context)
        self.other = other
    }

    /// The form for `count`, by the plural rule of the language.
    package func text(_ count: Int, in language: Language) -> String {
        language.texts(one).flatMap { language.form(count, of: $0) } ?? (count == 1 ? one.english : other)
    }
}
