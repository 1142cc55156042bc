// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Terminal

/// Lines as Python's `textwrap.wrap` breaks them where no character is wide, and at the widths
/// beside the ones at which something changes.
@Suite struct TextWrapTests {
    @Test(arguments: [
        ("one two three", 13, ["one two three"]), ("one two three", 12, ["one two", "three"]),
        ("one two three", 7, ["one two", "three"]), ("one two three", 6, ["one", "two", "three"]),
        ("one two three", 5, ["one", "two", "three"]), ("one two three", 4, ["one", "two", "thre", "e"]),
        ("one two three", 3, ["one", "two", "thr", "ee"]), ("", 5, [""]), ("a\n\nb", 5, ["a", "", "b"]),
        ("ab", 1, ["a", "b"]), ("ab", 0, ["a", "b"]), ("ab", -1, ["a", "b"]),
        ("あいう", 4, ["あい", "う"]), ("あいう", 3, ["あ", "い", "う"]), ("あ", 1, ["あ"]),
    ])
    func aTextIsBrokenBetweenWords(text: String, width: Int, lines: [String]) {
        #expect(TextWrap.lines(text, width: width) == lines)
    }

    /// Half of a line is too much to be left free.
    @Test(arguments: [
        ("one two three", 7, 2, ["one two", "  three"]), ("one two three", 7, 3, ["one two", "three"]),
        ("one two three", 6, 2, ["one", "  two", "  thre", "  e"]), ("one two", 20, 2, ["one two"]),
        ("one two three", 8, 3, ["one two", "   three"]),
    ])
    func furtherLinesAreIndented(text: String, width: Int, indent: Int, lines: [String]) {
        #expect(TextWrap.lines(text, width: width, indent: indent) == lines)
    }

    @Test(arguments: [
        ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("abc", 1, "…"), ("abc", 0, ""), ("", 0, ""), ("あい", 4, "あい"),
        ("あい", 3, "あ…"), ("あい", 2, "…"),
    ])
    func whatHasNoRoomIsCutWithAMark(text: String, width: Int, cut: String) {
        #expect(TextWrap.cut(text, width: width) == cut)
    }

    @Test(arguments: [("abc", 2, "ab"), ("abc", 0, ""), ("abc", 3, "abc"), ("aあ", 2, "a"), ("aあ", 3, "aあ")])
    func aPrefixHasRoom(text: String, width: Int, prefix: String) {
        #expect(TextWrap.prefix(text, width: width) == prefix)
    }

    @Test(arguments: [
        (["aa", "bb", "cc"], 10, ["aa  bb  cc"]), (["aa", "bb", "cc"], 9, ["aa  bb", "cc"]),
        (["aa", "bb", "cc"], 6, ["aa  bb", "cc"]), (["aa", "bb", "cc"], 5, ["aa", "bb", "cc"]),
        (["abcdef", "g"], 3, ["ab…", "g"]), ([], 5, []),
    ])
    func itemsStandSideBySideWhereTheyHaveRoom(items: [String], width: Int, rows: [String]) {
        #expect(TextWrap.rows(items, width: width) == rows)
    }
}
