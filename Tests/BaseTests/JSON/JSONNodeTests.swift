// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base

@Suite struct JSONNodeTests {
    private static let digits = String(repeating: "1", count: 40)

    /// For a message: what is longer than 40 characters is cut.
    @Test(
        arguments: [
            ("null", "null"), ("true", "true"), ("false", "false"), ("-1.50e3", "-1.50e3"), ("[]", "an array of 0"),
            ("[1, [2, 3]]", "an array of 2"), ("{}", "an object"), (#"{"a": 1}"#, "an object"), ("\"\"", "\"\""),
            (#""a\"b""#, #""a"b""#), (digits, digits), (digits + "2", digits + "…"),
            ("\"\(digits)\"", "\"\(digits)\""), ("\"\(digits)2\"", "\"\(digits)…\""),
        ] as [(String, String)])
    func aSummarySaysWhatItIs(text: String, summary: String) throws {
        #expect(try JSONNode(Array(text.utf8)).summary == summary)
    }

    /// RFC 8259 §4 leaves repeated names open; ECMA-262, JSON.parse: the last.
    @Test func ofARepeatedKeyTheLastCounts() throws {
        let node = try JSONNode(Array(#"{"a": 1, "b": 2, "a": 3}"#.utf8))
        #expect(node["a"]?.value == .spelled("3") && node["b"]?.value == .spelled("2") && node["c"] == nil)
        for text in ["null", "[]", #""a""#] { #expect(try JSONNode(Array(text.utf8))["a"] == nil) }
    }
}
