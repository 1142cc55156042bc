// SPDX-License-Identifier: Apache-2.0

/// A language in which the device has words: English, which the sources are written in, and each that has a
/// catalogue. `Words` chooses one for each study.
package struct Language: Sendable, CaseIterable {
    /// As studies, voices and pages name it: `de`.
    package let tag: String
    private let catalogue: Catalogue?

    package static let english = Language(tag: "en", catalogue: nil)
    /// One line adds a language. The catalogues are part of the program, so that a device cannot
    /// lose its words.
    package static let allCases =
        [english]
        + [
            PackageResources.de_po,
            PackageResources.es_po,
        ].compactMap(Language.init(catalogue:))

    private init(tag: String, catalogue: Catalogue?) { (self.tag, self.catalogue) = (tag, catalogue) }

    /// The language of a catalogue as gettext writes it; nil where the file is none or does not
    /// name its language.
    package init?(catalogue bytes: [UInt8]) {
        guard let catalogue = Catalogue(String(decoding: bytes, as: UTF8.self)) else { return nil }
        self.init(tag: catalogue.language, catalogue: catalogue)
    }

    /// The language of a tag as studies and voices write it: `de`, `de-AT`, `de_DE`, `de+f2`; nil
    /// where there are no words in it.
    package init?(tag: String) {
        let primary = Self.primary(tag)
        guard let language = Self.allCases.first(where: { $0.tag == primary }) else { return nil }
        self = language
    }

    /// What of a tag names the language itself: `es` of `es-419`.
    package static func primary(_ tag: String) -> String {
        tag.lowercased().prefix { $0.isLetter }.description
    }

    /// Between a number's whole and its fraction, as CLDR has it (`numbers.xml`,
    /// `symbols/decimal`).
    package var decimalSeparator: Character { NumberPhrases.separator.text(in: self).first ?? "." }

    /// The forms that the catalogue has for a phrase: one, or as many as the language has plurals.
    func texts(_ phrase: Phrase) -> [String]? { catalogue?.texts[phrase] }

    /// The one of these forms that goes with `count`; nil for English, which has no catalogue.
    func form(_ count: Int, of forms: [String]) -> String? {
        guard let place = catalogue?.plural[count], forms.indices.contains(place) else { return nil }
        return forms[place]
    }
}

extension Language: Hashable {
    package static func == (one: Language, other: Language) -> Bool { one.tag == other.tag }
    package func hash(into hasher: inout Hasher) { hasher.combine(tag) }
}
