// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import StandIns

@Suite struct ESMiraValueTests {
    /// ESMira-web, `Main::strip_oneLineInput`: `"` becomes `'`, and each of `\n` and `\r` a space.
    @Test(arguments: [
        (#"say "no";"#, "say 'no';"), ("a\nb\rc", "a b c"), ("a\r\nb", "a  b"), ("\"\u{301};\"", "'\u{301};'"),
        ("", ""),
    ]) func aCellIsOneLineWithoutQuotes(text: String, cell: String) {
        #expect(ESMiraValue.oneLine(text) == cell)
    }

    /// `StudyStatisticsStoreFS.php` (ESMira-web 0750ca3) adds by `floatval`; the values are those of PHP's manual
    /// and of the answers that inputs give.
    @Test(arguments: [
        ("122.34343The", 122.34343), ("The 122.34343The", 0), ("1.5abc", 1.5), ("-1.5e3x", -1500), ("1e", 1),
        (".5", 0.5), ("5.", 5), (" 7", 7), ("+3", 3), ("", 0), (".", 0), ("-", 0), ("0x1A", 0), ("nan", 0),
        ("2026-03-02", 2026), ("06:45", 6), ("1, 2", 1),
    ]) func anAnswerCountsAsTheNumberThatItBeginsWith(text: String, number: Double) {
        #expect(ESMiraValue.decimal(text) == number)
    }

    @Test func aCellHasFourThousandBytesAtMost() {
        for count in [3999, 4000, 4001] {
            #expect(ESMiraValue.oneLine(String(repeating: "a", count: count)).utf8.count == min(count, 4000))
        }
    }
}
