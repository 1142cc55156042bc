// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Testing

/// The official suite of TOML (github.com/toml-lang/toml-test, commit d168c2a of 2026-08-16): 709
/// documents for TOML 1.0. It is not kept here; STUDYD_TOML_TEST names its folder `tests`.
@Suite struct TOMLSuiteTests {
    static let folder = getenv("STUDYD_TOML_TEST").map { String(cString: $0) }

    @Test(
        .enabled(if: folder != nil, "SKIPPED: STUDYD_TOML_TEST does not name the folder 'tests' of toml-lang/toml-test")
    )
    func everyDocumentOfTheSuiteHasItsVerdict() throws {
        let folder = try #require(Self.folder)
        let verdicts = try #require(Python.lines("toml_test_verdicts.py", folder))
        #expect(verdicts.count > 600)
        for verdict in verdicts {
            let parts = verdict.split(separator: "\t")
            let ours = Reading.line(try Files.bytes("\(folder)/\(parts[0])"))
            #expect(ours == parts[1], "\(parts[0])")
        }
    }

    /// What the suite taught: a document per rule, in our own words, with the suite's verdict on
    /// the document of that name.
    static let learned: [(name: String, text: String, isValid: Bool)] = [
        ("invalid/array/extending-table", "a = [{ b = 1 }]\n[a.c]\nd = 1", false),
        ("invalid/array/no-close-01", "a = [ 1, 2", false),
        ("invalid/array/double-comma-01", "a = [1,,2]", false),
        ("invalid/bool/mixed-case", "a = False", false),
        ("invalid/control/bare-cr", "a = 1\rb = 2", false),
        ("invalid/control/comment-del", "# \u{7F}", false),
        ("invalid/control/string-lf", "a = \"\u{1}\"", false),
        ("invalid/datetime/feb-29", "a = 2100-02-29T00:00:00Z", false),
        ("invalid/datetime/offset-overflow-hour", "a = 1985-06-18T17:04:07+25:00", false),
        ("invalid/datetime/no-secs", "a = 1987-07-05T17:45Z", false),
        ("invalid/float/leading-zero", "a = 03.14", false),
        ("invalid/float/trailing-dot", "a = 1.", false),
        ("invalid/float/leading-dot", "a = .5", false),
        ("invalid/float/trailing-us-exp-01", "a = 1_e2", false),
        ("invalid/float/inf-capital", "a = Inf", false),
        ("invalid/inline-table/trailing-comma", "a = { b = 1, }", false),
        ("invalid/inline-table/linebreak-01", "a = { b = 1,\nc = 2 }", false),
        ("invalid/inline-table/overwrite-02", "a = {}\n[a.b]", false),
        ("invalid/inline-table/duplicate-key-02", "a = { b = 1, \"b\" = 2 }", false),
        ("invalid/inline-table/nested_key_conflict", "a = { b = { c = 1 }, b.d = 2 }", false),
        ("invalid/integer/leading-zero-01", "a = 01", false),
        ("invalid/integer/capital-hex", "a = 0XFF", false),
        ("invalid/integer/negative-hex", "a = -0xFF", false),
        ("invalid/integer/double-us", "a = 1__0", false),
        ("invalid/integer/us-after-hex", "a = 0x_1", false),
        ("invalid/key/two-equals-01", "a= = 1", false),
        ("invalid/key/after-array", "[[a]] b = 1", false),
        ("invalid/key/dot", ".\n", false),
        ("invalid/key/newline-02", "a.\nb = 1", false),
        ("invalid/key/multiline-key-01", "\"\"\"a\"\"\" = 1", false),
        ("invalid/key/open-bracket", "[a = 1", false),
        ("invalid/string/bad-escape-01", "a = \"\\x\"", false),
        ("invalid/string/bad-codepoint", "a = \"\\UD8000000\"", false),
        ("invalid/string/bad-uni-esc-06", "a = \"\\uD801\"", false),
        ("invalid/string/multiline-quotes-01", "a = \"\"\"x\"\"\"\"\"\"", false),
        ("invalid/string/no-close-02", "a = \"x", false),
        ("invalid/table/append-to-array-with-dotted-keys", "[[a.b]]\n[a]\nb.y = 2", false),
        ("invalid/table/append-with-dotted-keys-01", "[a.b.c]\nz = 9\n[a]\nb.c.t = 1", false),
        ("invalid/table/duplicate-key-dotted-table", "[a]\nb.c = 1\n[a.b]", false),
        ("invalid/table/redefine-02", "a.b = 1\n[a]", false),
        ("invalid/table/duplicate", "[a]\n[b]\n[a]", false),
        ("invalid/table/array-implicit", "[[a.b]]\n[[a]]", false),
        ("invalid/table/empty-implicit-table", "[a..b]", false),
        ("invalid/table/whitespace", "[a b]", false),
        ("invalid/table/nested-brackets-open", "[ a[b]", false),
        ("invalid/table/rrbrace", "[[a] ]", false),
        ("valid/array/trailing-comma", "a = [1, 2, # x\n]", true),
        ("valid/array/mixed-int-array", "a = [1, ['x'], { b = 1.5 }]", true),
        ("valid/comment/everywhere", "# x\n[a] # y\nb = [ # z\n1 # q\n] # r", true),
        ("valid/datetime/local-time", "a = 07:32:00.999", true),
        ("valid/float/underscore", "a = 3_141.5_9e-1_0", true),
        ("valid/inline-table/key-dotted-01", "a = { b.c = 1, b.d = 2 }", true),
        ("valid/integer/long", "a = -9223372036854775808", true),
        ("valid/key/empty-01", "\"\" = 1", true),
        ("valid/key/dotted-04", "a . b.'c d' = 1", true),
        ("valid/key/numeric-04", "1.2 = 3", true),
        ("valid/key/like-date", "2001-02-03 = 1\n[2002-01-02]", true),
        ("valid/string/multiline-quotes", "a = \"\"\"\"x\"\"\"\"\"", true),
        ("valid/string/escapes", "a = \"\\b\\t\\n\\f\\r\\\"\\\\\\u00E9\\U0001F600\"", true),
        ("valid/table/array-table-array", "[[a]]\n[[a.b]]\n[a.b.c]\n[[a]]\n[a.b]", true),
        ("valid/table/without-super", "[a.b.c]\n[a]\n[a.b]", true),
        ("valid/utf8-bom-01", "\u{FEFF}a = 1", true),
        ("valid/newline-crlf", "a = 1\r\nb = 2\r\n", true),
    ]

    @Test(arguments: learned.indices) func everyRuleThatTheSuiteTaughtHolds(_ index: Int) {
        let (name, text, isValid) = Self.learned[index]
        #expect((Reading.line(Array(text.utf8)) != "error") == isValid, "\(name)")
    }
}
