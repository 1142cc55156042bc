// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@testable import Agent
@testable import Lab

/// What servers and errors say is passed on in manifests and reports, and the lab refuses a whole body
/// for one text that it cannot put on a line of its page.
@Suite struct ReportedWordsTests {
    /// tusd and `study-receiver` end the words of a refusal with a line break.
    static let words = [
        "refused: answered 413 ERR_MAX_SIZE_EXCEEDED: maximum size exceeded\n", "first\r\nsecond", "\u{1B}[31mred\u{7}",
        String(repeating: "👨‍👩‍👧‍👦", count: 300), String(repeating: "e\u{301}\u{302}", count: 300),
        String(repeating: "a", count: 201),
        "a",
    ]

    @Test(arguments: words) func aManifestIsTakenWhateverAServerSaid(words: String) throws {
        let item = ProducedItem(
            kind: .recording, id: "1", name: "000001-sound.flac", sha256: nil, bytes: 1, count: 2, fate: .givenUp,
            why: words)
        let text = """
            {"format":"studyd-manifest","version":1,"device":"d","study":"s","participant":"p","day":"2026-11-25",
            "entries":[\(item.json.text)]}
            """
        let entry = try #require(try DeviceManifest(try JSONReader.value(text)).entries.first)
        let why = try #require(entry.why)
        #expect(why.first == words.first || words.first == "\u{1B}")
    }

    @Test func aLineBreakIsASpace() {
        #expect("a\r\nb\n".oneLine(10) == "a  b" && "\n".oneLine(3).isEmpty)
        #expect("abcd".oneLine(3) == "abc" && "abc".oneLine(3) == "abc")
    }
}
