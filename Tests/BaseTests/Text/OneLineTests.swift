// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@Suite struct OneLineTests {
    /// Unicode's controls (general category Cc) are spaces, also those of C1. A flag has 8 bytes of UTF-8, a
    /// family 25. No more than eight scalars for each character are looked at.
    @Test(arguments: [
        ("", 3, ""), ("abc", 3, "abc"), ("abcd", 3, "abc"), ("abc", 0, ""), (" \t\n", 9, ""), ("  a b  ", 9, "a b"),
        ("a\r\nb\u{1B}c\u{85}d\u{7F}", 9, "a  b c d"), ("a\u{A0}b", 9, "a\u{A0}b"), ("😀😀😀", 2, "😀😀"),
        ("🇩🇪🇫🇷", 2, "🇩🇪"), ("🇩🇪🇫🇷", 4, "🇩🇪🇫🇷"), ("👨‍👩‍👧‍👦", 6, ""), ("👨‍👩‍👧‍👦", 7, "👨‍👩‍👧‍👦"),
        (String(repeating: " ", count: 15) + "x", 2, "x"), (String(repeating: " ", count: 16) + "x", 2, ""),
    ])
    func aTextIsCutToCharactersAndBytes(_ text: String, _ most: Int, _ line: String) {
        #expect(text.oneLine(most) == line)
    }

    @Test(arguments: [
        ("", ""), (" Jürgen 👨‍👩‍👧‍👦 ", " Jürgen 👨‍👩‍👧‍👦 "), ("a\u{1B}[31m", "a\\u001B[31m"),
        ("a\r\nP1\tgood", "a\\u000D\\u000AP1\\u0009good"),
        ("\u{9B}\u{7F}\u{2028}", "\\u009B\\u007F\\u2028"),
    ])
    func aTerminalObeysNothingOfWhatIsShown(_ text: String, _ shown: String) {
        #expect(text.shown == shown)
    }

    /// UAX #9's embeddings, overrides and isolates on both sides; marks, joiners and letters of all scripts stay.
    @Test(arguments: [
        ("\u{2029}\u{202A}\u{202E}", "\\u2029\\u202A\\u202E"), ("\u{2066}\u{2069}", "\\u2066\\u2069"),
        ("\u{2027}\u{202F}\u{2065}\u{206A}", "\u{2027}\u{202F}\u{2065}\u{206A}"),
        ("\u{A0}שלום\u{200F} क्\u{200D}ष 日本 ~", "\u{A0}שלום\u{200F} क्\u{200D}ष 日本 ~"),
    ])
    func lettersStayAndWhatReversesThemIsSpelled(_ text: String, _ shown: String) {
        #expect(text.shown == shown && text.shownLines == shown)
    }

    @Test func linesOfItsOwnStayAndThoseOfAParagraphAreIndented() {
        let text = "a\tb\r\nc\u{1B}[2J\n"
        #expect(text.shownLines == "a\tb\\u000D\nc\\u001B[2J\n")
        #expect(text.shown(indent: 2) == "a\tb\n  c\\u001B[2J\n  ")
    }
}
