// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@Suite struct CountersignatureTests {
    /// The form of six words, each of them changed.
    @Test(arguments: [
        ("log 7:ab 1800000500 00ff aa c2ln", true), ("log 1:ab 0 00ff aa c2ln", true),
        ("log 0:ab 0 00ff aa c2ln", false),
        ("log -1:ab 0 00ff aa c2ln", false), ("log 9223372036854775807:ab 0 00ff aa c2ln", true),
        ("log 9223372036854775808:ab 0 00ff aa c2ln", false), ("log 7:ab 9223372036 00ff aa c2ln", true),
        ("log 7:ab 9223372037 00ff aa c2ln", false), ("log 7:ab -1 00ff aa c2ln", false),
        ("log 7:ab 1.5 00ff aa c2ln", false), ("log 7 0 00ff aa c2ln", false), ("log 7:ab:cd 0 00ff aa c2ln", false),
        ("log x:ab 0 00ff aa c2ln", false), ("log 7:ab 0 00ff aa", false), ("log 7:ab 0 00ff aa c2ln x", false),
        ("log  7:ab 0 00ff aa c2ln", false), ("", false),
    ])
    func whatIsReadIsWritten(text: String, isRead: Bool) {
        let found = Countersignature(text)
        #expect(found?.text == (isRead ? text : nil))
        let words = text.split(separator: " ").dropLast().joined(separator: " ")
        #expect(found?.signed == (isRead ? Array("studyd-countersigned-1 \(words)".utf8) : nil))
    }

    @Test func eachWordHasItsPlace() throws {
        let found = try #require(Countersignature("log 7:ab 1800000500 00ff aa c2ln"))
        #expect(found.log == "log" && found.sequence == 7 && found.hash == "ab")
        #expect(found.time == Instant(seconds: 1_800_000_500))
        #expect(found.device == "00ff" && found.receiver == "aa" && found.signature == "c2ln")
    }

    @Test(arguments: [(500, true), (501, false)]) func aTextHasALongestLength(count: Int, isRead: Bool) {
        let rest = " 7:ab 0 00ff aa c2ln"
        let text = String(repeating: "l", count: count - rest.utf8.count) + rest
        #expect((Countersignature(text) != nil) == isRead)
    }
}
