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
        ("", ""), (" Jürgen 👨‍👩‍👧‍👦 ", " Jürgen 👨‍👩‍👧‍👦 "), ("a\u{1B}[31m", "a\\u{1B}[31m"),
        ("a\r\nP1\tgood", "a\\u{D}\\u{A}P1\\u{9}good"),
        ("\u{9B}\u{7F}\u{2028}", "\\u{9B}\\u{7F}\\u{2028}"),
    ])
    func aTerminalObeysNothingOfWhatIsShown(_ text: String, _ shown: String) {
        #expect(text.shown == shown)
    }
}
