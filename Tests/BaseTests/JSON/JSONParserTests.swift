// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base

@Suite struct JSONParserTests {
    @Test(arguments: [
        "", "{", "[1,]", "{\"a\":}", "{a:1}", "01", "1.", "-", "1e", "tru", "\"\\x\"", "\"\\u12g4\"", "\"a", "[1] 2",
        "\"\u{1}\"",
        "{\"a\" 1}", "nul", "[1 2]", "+1", ".5", "\"\\u+123\"", "-01", "1.e1", "1e+", "--1", "0x1", "1E", "1e1.5",
        "[,1]", "1/2", "1:2", "1./", "1e:",
    ])
    func whatIsNotJSONIsRefused(_ text: String) {
        #expect(throws: JSONError.self) { try JSONNode(Array(text.utf8)) }
    }

    /// RFC 8259 §2: blank, tab, line feed and carriage return may stand around every token, and nothing else.
    @Test(arguments: [" ", "\t", "\n", "\r", " \t\r\n"]) func whiteSpaceMayStandAroundEveryToken(_ space: String) throws
    {
        let tokens = [
            "{", "\"a\"", ":", "[", "1", ",", "true", "]", ",", "\"b\"", ":", "{", "}", ",", "\"c\"", ":", "[", "]",
            "}",
        ]
        let node = try JSONNode(Array((space + tokens.joined(separator: space) + space).utf8))
        #expect(node.value.text == #"{"a":[1,true],"b":{},"c":[]}"#)
    }

    @Test(arguments: ["\u{0}", "\u{B}", "\u{C}", "\u{85}", "\u{A0}", "\u{2028}"])
    func otherSpaceIsRefused(_ space: String) {
        for text in [space + "1", "1" + space, "[" + space + "1]", "[1" + space + "]"] {
            #expect(throws: JSONError.self) { try JSONNode(Array(text.utf8)) }
        }
    }

    /// RFC 8259 §7: U+0000 to U+001F have to be escaped.
    @Test(arguments: UInt8(0)...0x21) func aTextHoldsNoControlCharacter(_ byte: UInt8) {
        #expect(((try? JSONNode([0x22, byte, 0x22])) != nil) == (byte >= 0x20))
    }

    @Test func linesAndKeysKeepTheirOrder() throws {
        let node = try JSONNode(Array("{\"z\":1,\n\"a\":\r\n[true,\nnull]}".utf8))
        #expect(node["z"]?.line == 1 && node["a"]?.line == 3)
        guard case .object(let members) = node.content, case .array(let elements)? = node["a"]?.content else { return }
        #expect(members.map(\.key) == ["z", "a"] && elements.map(\.line) == [3, 4])
    }

    /// RFC 8259 §7: `u` and four hexadecimal digits, of either case. Python's json gives the same
    /// answer to each.
    @Test(
        arguments: [
            ("00E9", "\u{E9}"), ("00e9", "\u{E9}"), ("0000", "\u{0}"), ("FFFF", "\u{FFFF}"),
            ("-000", nil), ("+000", nil), (" 000", nil), ("000 ", nil), ("00g0", nil), ("0x00", nil), ("0_00", nil),
            ("00é", nil), ("000", nil), ("", nil),
        ] as [(String, String?)])
    func aUnicodeEscapeHasFourHexadecimalDigits(_ digits: String, _ letter: String?) {
        let node = try? JSONNode(Array("\"\\u\(digits)\"".utf8))
        #expect((node != nil) == (letter != nil))
        if let letter, case .string(let text)? = node?.content { #expect(text == letter) }
    }

    @Test func escapesBecomeLetters() throws {
        let node = try JSONNode(Array(#""a\n\u00e9\ud83d\ude00\ud800\/""#.utf8))
        guard case .string(let text) = node.content else { return }
        #expect(text == "a\né😀\u{FFFD}/")
    }

    /// RFC 8259 §8.2 leaves it open. PHP's json_decode says JSON_ERROR_UTF16, Jackson "Lone
    /// surrogate", browsers read U+FFFD or keep the half.
    @Test(arguments: [#""\ud800""#, #""\udc00""#, #""\ud800\u0041""#, #""\ud800x""#, #""\udc00\ud800""#])
    func halfOfASurrogatePairIsRefusedOnRequest(_ text: String) throws {
        var rules = JSONRules()
        rules.refusesLoneSurrogates = true
        #expect(throws: JSONError.self) { try JSONNode(Array(text.utf8), rules) }
        guard case .string(let read) = try JSONNode(Array(text.utf8)).content else { return }
        #expect(read.unicodeScalars.first == "\u{FFFD}")
    }

    /// The Unicode Standard, table 3-5: D800 to DBFF before DC00 to DFFF are one character.
    @Test(
        arguments: [
            (#""\ud800\udc00""#, "\u{10000}"), (#""\ud800\udfff""#, "\u{103FF}"), (#""\udbff\udc00""#, "\u{10FC00}"),
            (#""\udbff\udfff""#, "\u{10FFFF}"), (#""\ud7ff\ue000""#, "\u{D7FF}\u{E000}"),
            (#""\ud800\ue000""#, "\u{FFFD}\u{E000}"), (#""\ud800\udbff""#, "\u{FFFD}\u{FFFD}"),
            (#""\ud800\ud7ff""#, "\u{FFFD}\u{D7FF}"), (#""\udc00\udc00""#, "\u{FFFD}\u{FFFD}"),
            (#""\udfff""#, "\u{FFFD}"),
            (#""\ud800\n""#, "\u{FFFD}\n"),
        ] as [(String, String)])
    func twoHalvesAreOneCharacter(_ text: String, _ expected: String) throws {
        guard case .string(let read) = try JSONNode(Array(text.utf8)).content else {
            Issue.record("no text")
            return
        }
        #expect(Array(read.unicodeScalars) == Array(expected.unicodeScalars))
    }

    /// RFC 8259 §8.1: a reader may pass over a byte order mark, which is at the beginning alone.
    @Test(arguments: [
        ("\u{FEFF}[1]", true), ("\u{FEFF} [1]", true), ("\u{FEFF}", false), ("\u{FEFF}\u{FEFF}[1]", false),
        (" \u{FEFF}[1]", false), ("[\u{FEFF}1]", false), ("[1]\u{FEFF}", false),
    ])
    func aByteOrderMarkMayBegin(_ text: String, _ isRead: Bool) {
        #expect((try? JSONNode(Array(text.utf8)))?.value.text == (isRead ? "[1]" : nil))
    }

    @Test func anErrorNamesTheLine() {
        #expect { try JSONNode(Array("{\"a\":1,\n\n\"b\" 2}".utf8)) } throws: { error in
            "\(error)" == "line 3: expected JSON: ':', found '2'"
        }
    }

    @Test(arguments: [
        ("", "a value, found the end of the text"), ("[1,]", "a value, found ']'"), ("tru", "a value, found 't'"),
        ("\u{E9}", "a value, found byte 195"), ("1.", "a value, found the end of the text"),
        ("[1] 2", "the end of the text, found '2'"), ("01", "the end of the text, found '1'"),
        ("[1 2]", "',' or ']', found '2'"), ("{\"a\":1]", "',' or '}', found ']'"),
        ("{a:1}", "a key in quotation marks, found 'a'"), ("{\"a\"}", "':', found '}'"),
        ("\"a", "the closing quotation mark, found the end of the text"),
        ("\"a\nb\"", "no control character within a text, found byte 10"),
        ("\"\\x\"", "an escape, found 'x'"), ("\"\\", "an escape, found the end of the text"),
        ("\"\\u12g4\"", "four hexadecimal digits, found '1'"), ("!", "a value, found '!'"), ("~", "a value, found '~'"),
        ("\u{7F}", "a value, found byte 127"), ("1. ", "a value, found byte 32"),
    ])
    func anErrorNamesWhatIsFoundInPlaceOfWhat(_ text: String, _ words: String) {
        let error = #expect(throws: JSONError.self) { try JSONNode(Array(text.utf8)) }
        #expect(error?.description == "line 1: expected JSON: \(words)")
    }

    @Test func depthAndSizeAreBounded() {
        let deep = { (depth: Int) in
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect(throws: Never.self) { try JSONNode(deep(64)) }
        #expect(throws: JSONError.self) { try JSONNode(deep(65)) }
        #expect(throws: JSONError.self) { try JSONNode(deep(1_000_000)) }
        #expect(throws: JSONError.self) { try JSONNode([UInt8](repeating: 0x20, count: 4 * 1024 * 1024 + 1)) }
    }

    /// What is beside each other is not within each other.
    @Test(arguments: [("[]", "[", "]"), ("{}", "[", "]"), ("\"a\":{}", "{", "}"), ("\"a\":[]", "{", "}")])
    func depthEndsWithItsBracket(_ piece: String, _ open: String, _ close: String) {
        var rules = JSONRules()
        rules.maximumDepth = 2
        let text = open + [piece, piece, piece].joined(separator: ",") + close
        #expect((try? JSONNode(Array(text.utf8), rules)) != nil)
        #expect((try? JSONNode(Array("[\(text)]".utf8), rules)) == nil)
    }

    @Test(arguments: [("[1]", true), ("[10]", false), ("[1 ]", false)])
    func asManyBytesAsAreAllowedAreRead(_ text: String, _ isRead: Bool) {
        var rules = JSONRules()
        rules.maximumSize = 3
        #expect(((try? JSONNode(Array(text.utf8), rules)) != nil) == isRead)
    }

    /// As Windows' editors save `{}`, and Latin-1.
    @Test(
        arguments: [
            ([0xFF, 0xFE, 0x7B, 0, 0x7D, 0], "expected JSON in UTF-8, found UTF-16"),
            ([0xFE, 0xFF, 0, 0x7B, 0, 0x7D], "expected JSON in UTF-8, found UTF-16"),
            ([0x0A, 0x22, 0xE4, 0x22], "line 2: expected JSON in UTF-8, found a text in another encoding"),
            ([0x22, 0xFF, 0x22], "line 1: expected JSON in UTF-8, found a text in another encoding"),
        ] as [([UInt8], String)])
    func anotherEncodingIsNamed(_ bytes: [UInt8], _ words: String) {
        let error = #expect(throws: JSONError.self) { try JSONNode(bytes) }
        #expect(error?.description == words)
    }
}
