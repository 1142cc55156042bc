// SPDX-License-Identifier: Apache-2.0

/// The last choice of a list that has one for everything else: `ESMiraQuestionnaireReader` adds it,
/// `ESMiraInput` sends what was meant.
enum ESMiraOther {
    /// A control character keeps it different from every choice that a study has.
    static let value = "\u{1}other"

    /// `option_other` of the app's own translations (`strings.xml`, ESMira-apps f750e58).
    private static let words = [
        "cs": "Jiné", "da": "Andet", "de": "Anderes", "el": "Άλλο", "es": "Otro", "fi": "Muu", "fr": "Autre",
        "hi": "अन्य", "it": "Altro", "iw": "אחר", "he": "אחר", "ja": "その他", "ko": "기타", "nb": "Annet", "nl": "Overig",
        "pl": "Inne", "pt": "Outro", "sv": "Annat", "tl": "Iba pa", "tr": "Diğer", "zh": "其他",
    ]

    static func word(in language: String) -> String { words[String(language.prefix(2))] ?? "Other" }
}
