// SPDX-License-Identifier: Apache-2.0

/// Days and months in a sentence: `21 November 2026`, `21. November 2026`,
/// `21 de noviembre de 2026` (CLDR, `dateFormats`, long).
package enum CalendarPhrases {
    /// Day, month and year as they are read.
    package static let date = Phrase("{0} {1} {2}", de: "{0}. {1} {2}", es: "{0} de {1} de {2}")

    /// The names of the months, from January.
    package static let months = [
        Phrase("January", de: "Januar", es: "enero"), Phrase("February", de: "Februar", es: "febrero"),
        Phrase("March", de: "März", es: "marzo"), Phrase("April", de: "April", es: "abril"),
        Phrase("May", de: "Mai", es: "mayo"), Phrase("June", de: "Juni", es: "junio"),
        Phrase("July", de: "Juli", es: "julio"), Phrase("August", de: "August", es: "agosto"),
        Phrase("September", de: "September", es: "septiembre"), Phrase("October", de: "Oktober", es: "octubre"),
        Phrase("November", de: "November", es: "noviembre"), Phrase("December", de: "Dezember", es: "diciembre"),
    ]

    /// The same between day and year, as they are said.
    package static let spokenMonths = months.map { month in
        Phrase(
            month.text(in: .english), de: month.text(in: .german), es: "de " + month.text(in: .spanish) + " de")
    }

    /// The days of a month as they are said, from the first: a number, in German the ordinal.
    package static let spokenDays = ordinals.enumerated().map { index, ordinal in
        Phrase("\(index + 1)", de: ordinal, es: "\(index + 1)")
    }

    private static let ordinals = [
        "erster", "zweiter", "dritter", "vierter", "fünfter", "sechster", "siebter", "achter", "neunter", "zehnter",
        "elfter", "zwölfter", "dreizehnter", "vierzehnter", "fünfzehnter", "sechzehnter", "siebzehnter", "achtzehnter",
        "neunzehnter", "zwanzigster", "einundzwanzigster", "zweiundzwanzigster", "dreiundzwanzigster",
        "vierundzwanzigster", "fünfundzwanzigster", "sechsundzwanzigster", "siebenundzwanzigster",
        "achtundzwanzigster", "neunundzwanzigster", "dreißigster", "einunddreißigster",
    ]
}
