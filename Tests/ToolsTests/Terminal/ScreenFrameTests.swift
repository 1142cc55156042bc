// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Terminal

/// Control sequences are those of ECMA-48 (CUP 8.3.21, ED 8.3.39, SGR 8.3.117).
@Suite struct ScreenFrameTests {
    private static let size = ScreenSize(columns: 10, rows: 3)

    private static func frame(_ lines: String...) -> ScreenFrame {
        ScreenFrame(lines.map { StyledText($0) }, size: size)
    }

    @Test func onlyWhatChangedIsWritten() {
        let earlier = Self.frame("one", "two", "three")
        #expect(Self.frame("one", "two", "three").update(from: earlier, colours: true).isEmpty)
        #expect(
            Self.frame("one", "tao", "three").update(from: earlier, colours: true) == "\u{1B}[2;2H\u{1B}[0ma\u{1B}[0m")
        #expect(
            Self.frame("one", "two", "th").update(from: earlier, colours: true) == "\u{1B}[3;3H\u{1B}[0m   \u{1B}[0m")
    }

    @Test func aResizedTerminalIsRedrawn() {
        let earlier = ScreenFrame(["one"], size: ScreenSize(columns: 8, rows: 3))
        #expect(Self.frame("one").update(from: earlier, colours: true).hasPrefix("\u{1B}[0m\u{1B}[2J\u{1B}[1;1H"))
    }

    /// Half of a wide character cannot be written.
    @Test func wideCharactersAreReplacedWhole() {
        let update = Self.frame("a語b").update(from: Self.frame("axyb"), colours: true)
        #expect(update == "\u{1B}[1;2H\u{1B}[0m語\u{1B}[0m")
        #expect(Self.frame("axyb").update(from: Self.frame("a語b"), colours: true) == "\u{1B}[1;2H\u{1B}[0mxy\u{1B}[0m")
    }

    /// What follows a wide character without room is cut off with it, in the next piece of the line too.
    @Test func nothingComesBehindWhatHasNoRoom() {
        let line = StyledText("123456789語") + StyledText("x", TextStyle(isBold: true))
        #expect(ScreenFrame([line], size: Self.size) == Self.frame("123456789"))
    }

    /// https://no-color.org: no colours; what stands out may still do so.
    @Test func withoutColoursNoneIsWritten() {
        let line = StyledText("x", TextStyle(background: .init(255, 0, 0), isBold: true))
        let frame = ScreenFrame([line], size: Self.size)
        #expect(frame.update(from: nil, colours: true).contains("48;2;255;0;0"))
        #expect(
            !frame.update(from: nil, colours: false).contains("48;")
                && frame.update(from: nil, colours: false).contains("\u{1B}[0;1mx"))
    }

    /// A lamp that is on is one area: blocks in the terminal's own colour would hide the lamp's.
    @Test func anAreaHasTheColourOfItsBackground() {
        let lamp = StyledText("██", TextStyle(background: .init(255, 160, 0), isSolid: true))
        let frame = ScreenFrame([lamp], size: Self.size)
        #expect(frame.update(from: nil, colours: true).contains("48;2;255;160;0;38;2;255;160;0m██"))
        #expect(frame.update(from: nil, colours: false).contains("\u{1B}[0m██"))
    }
}
