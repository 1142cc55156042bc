// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import PlatformSage

@Suite struct SageTextTests {
    /// `%@` is the hand in the texts of MotorControl, in capitals where the text after it is.
    @Test(arguments: [
        ("Use your %@ hand", "Use your left hand"), ("%@ HAND", "LEFT HAND"), ("%@HAND", "LEFTHAND"),
        ("%@  OK", "LEFT  OK"), ("%@ Hand", "left Hand"), ("%@ hAND", "left hAND"), ("%@ I", "left I"),
        ("WITH %@", "WITH left"), ("%@", "left"), ("%@ HAND, then the %@ hand", "LEFT HAND, then the left hand"),
        ("100 %", "100 %"), ("", ""),
    ])
    func theHandStandsInItsPlace(_ text: String, _ filled: String) {
        #expect(SageText.fill(text, "left") == filled)
        #expect(SageText.fill(text, nil) == text)
    }

    @Test(
        arguments: [
            ([], ""), (["a"], "a"), (["", "a", ""], "a"), (["a", "b"], "a. b"), (["a.", "b"], "a. b"),
            (["a?", "b", "", "c"], "a? b. c"), (["a:", "b!"], "a: b!"),
        ] as [([String], String)])
    func textsAreJoinedAsSentences(_ parts: [String], _ joined: String) {
        #expect(SageText.join(parts) == joined)
    }
}
