// SPDX-License-Identifier: Apache-2.0
import Study
import Testing

@testable import studyd_tools

/// Which key does what: a button's letter is the button's, and Ctrl reaches the rest. That Ctrl-M
/// is Enter, and Ctrl-C the interrupt, is ASCII and termios(3).
@Suite struct DemoKeysTests {
    private static let keys = DemoKeys(buttons: ["A", "m", "q"])

    @Test(arguments: [("a", 0), ("m", 1), ("q", 2), ("A", nil), ("x", nil), ("t", nil)] as [(Character, Int?)])
    func aKeyIsItsButtons(key: Character, button: Int?) { #expect(Self.keys.button(key) == button) }

    @Test(
        arguments: [
            ("m", false, nil), ("q", false, nil), ("t", false, .jump), ("x", false, nil), ("c", false, nil),
            ("e", false, nil), ("e", true, .menu), ("m", true, nil), ("t", true, .jump), ("q", true, .end),
            ("c", true, .end), ("x", true, nil),
        ] as [(Character, Bool, DemoKeys.Purpose?)])
    func aLetterThatIsAButtonsIsReachedWithControl(key: Character, hasControl: Bool, purpose: DemoKeys.Purpose?) {
        #expect(Self.keys.purpose(key, hasControl: hasControl) == purpose)
    }

    @Test func aLetterThatIsNoButtonsIsFree() {
        let keys = DemoKeys(buttons: ["a"])
        #expect(["m", "t", "q", "c"].map { keys.purpose($0, hasControl: false) } == [.menu, .jump, .end, nil])
    }

    /// Six keys have room in a line; of seven it is said in a word.
    @Test func theLegendNamesTheKeysThatHaveRoom() {
        let six = DemoKeys(buttons: ["a", "b", "c", "d", "f", "g"]).legend(tellsReleases: false, in: .english)
        #expect(six[0] == "[a] [b] [c] [d] [f] [g]: press")
        #expect(six[1].hasPrefix("Shift+key: short hold"))
        #expect(six[2...] == ["[m] menu", "[t] next prompt", "[q] end"])
        let seven = DemoKeys(buttons: ["a", "b", "c", "d", "f", "g", "m"]).legend(tellsReleases: true, in: .english)
        #expect(seven[0] == "its key: press")
        #expect(seven[1] == "held: the button is held as long as the key")
        #expect(seven[2...] == ["[Ctrl-E] menu", "[t] next prompt", "[q] end"])
    }
}
