// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base

@Suite struct CountersignatureTests {
    private static let words = ["log-1", "7:ab12", "1780000000", "d0", "e0", "c2ln"]

    private func read(_ words: [String]) -> Countersignature? { Countersignature(words.joined(separator: " ")) }

    @Test func itIsReadAsItIsWritten() throws {
        var written = Countersignature(
            log: "log-1", sequence: 7, hash: "ab12", time: Instant(seconds: 1_780_000_000), device: "d0", receiver: "e0"
        )
        let signed = Array("studyd-countersigned-1 log-1 7:ab12 1780000000 d0 e0".utf8)
        #expect(written.signed == signed)
        written.signature = "c2ln"
        #expect(written.signed == signed && written.text == Self.words.joined(separator: " "))
        #expect(read(Self.words) == written)
    }

    /// Rows count from 1, and the time is one that an `Instant` can have.
    @Test(arguments: [
        (1, "1:ab12", true), (1, "0:ab12", false), (1, "-1:ab12", false), (1, "9223372036854775807:ab12", true),
        (1, "9223372036854775808:ab12", false), (1, "7", false), (1, "7:ab:12", false), (1, ":ab12", false),
        (1, "x:ab12", false), (2, "0", true), (2, "-1", false), (2, "9223372036", true), (2, "9223372037", false),
        (2, "1.5", false), (2, "", false),
    ])
    func aRowAndATimeHaveTheirForm(place: Int, word: String, isRead: Bool) {
        var words = Self.words
        words[place] = word
        let found = read(words)
        #expect((found != nil) == isRead)
        if isRead { #expect(found?.text == words.joined(separator: " ")) }
    }

    @Test func thereAreSixWordsInFiveHundredBytesAtMost() {
        for count in 0..<6 { #expect(read(Array(Self.words.prefix(count))) == nil) }
        #expect(read(Self.words + ["more"]) == nil && read([""] + Self.words) == nil)
        let head = Self.words.dropLast().joined(separator: " ") + " "
        for (length, isRead) in [(500, true), (501, false)] {
            let text = head + String(repeating: "s", count: length - head.utf8.count)
            #expect((Countersignature(text) != nil) == isRead)
        }
    }
}
