// SPDX-License-Identifier: Apache-2.0

/// Days and months in a sentence: `21 November 2026`, `21. November 2026`, `21 de noviembre de 2026` (CLDR,
/// `dateFormats`, long). `PipedText` says them, and `studyd plan` prints them.
package enum CalendarPhrases {
    /// Day, month and year as they are read.
    package static let date = Phrase("{0} {1} {2}", context: "day, month and year")

    /// The names of the months, from January.
    package static let months = [
        Phrase("January"), Phrase("February"), Phrase("March"), Phrase("April"), Phrase("May"), Phrase("June"),
        Phrase("July"), Phrase("August"), Phrase("September"), Phrase("October"), Phrase("November"),
        Phrase("December"),
    ]

    /// The same as they are said between day and year.
    package static let spokenMonths = months.map { Phrase($0.english, context: "said between day and year") }

    /// The days of a month as they are said, from the first: a number, or the ordinal.
    package static let spokenDays = (1...31).map { Phrase(String($0), context: "day of the month, said") }
}
