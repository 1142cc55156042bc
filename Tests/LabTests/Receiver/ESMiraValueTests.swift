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

    @Test func aCellHasFourThousandBytesAtMost() {
        for count in [3999, 4000, 4001] {
            #expect(ESMiraValue.oneLine(String(repeating: "a", count: count)).utf8.count == min(count, 4000))
        }
    }
}
