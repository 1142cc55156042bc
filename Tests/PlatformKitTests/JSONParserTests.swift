// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import PlatformKit

@Suite struct JSONParserTests {
    @Test(arguments: [
        "", "{", "[1,]", "{\"a\":}", "{a:1}", "01", "1.", "-", "1e", "tru", "\"\\x\"", "\"\\u12g4\"", "\"a", "[1] 2",
        "\"\u{1}\"",
        "{\"a\" 1}", "nul", "[1 2]", "+1", ".5", "\"\\u+123\"",
    ])
    func whatIsNotJSONIsRefused(_ text: String) {
        #expect(throws: StudyFormatError.self) { try JSONNode(Array(text.utf8)) }
    }

    @Test func linesAndKeysKeepTheirOrder() throws {
        let node = try JSONNode(Array("{\"z\":1,\n\"a\":\r\n[true,\nnull]}".utf8))
        #expect(node["z"]?.line == 1 && node["a"]?.line == 3)
        guard case .object(let members) = node.content, case .array(let elements)? = node["a"]?.content else { return }
        #expect(members.map(\.key) == ["z", "a"] && elements.map(\.line) == [3, 4])
    }

    @Test func escapesBecomeLetters() throws {
        let node = try JSONNode(Array(#""a\n\u00e9\ud83d\ude00\ud800\/""#.utf8))
        guard case .string(let text) = node.content else { return }
        #expect(text == "a\né😀\u{FFFD}/")
    }

    @Test func depthAndSizeAreBounded() {
        let deep = { (depth: Int) in
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect(throws: Never.self) { try JSONNode(deep(64)) }
        #expect(throws: StudyFormatError.self) { try JSONNode(deep(65)) }
        #expect(throws: StudyFormatError.self) { try JSONNode(deep(1_000_000)) }
        #expect(throws: StudyFormatError.self) { try JSONNode([UInt8](repeating: 0x20, count: 4 * 1024 * 1024 + 1)) }
    }

    @Test func textThatIsNotUTF8IsRefused() {
        #expect(throws: StudyFormatError.self) { try JSONNode([0x22, 0xFF, 0x22]) }
    }
}
