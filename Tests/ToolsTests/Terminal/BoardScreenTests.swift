// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Terminal

/// The drawn board as text. Widths by hand; what a terminal makes of it is asked of one that others
/// wrote: `DrawnDemoTests`.
@Suite struct BoardScreenTests {
    static let sizes = [(80, 24), (60, 20), (132, 40), (40, 14), (100, 24), (200, 60)].map(ScreenSize.init)

    static var picture: BoardPicture {
        var picture = BoardPicture()
        picture.title = "studyd demo · simulated · http://127.0.0.1:39475/"
        picture.clock = "09:00:14"
        picture.lights = [.init(name: "light", colour: .init(255, 160, 0), words: "yellow")]
        picture.sound = "440 Hz"
        picture.rhythm = ".- .."
        picture.buttons = [
            .init(key: "a", name: "previous", meaning: "the one before", isDown: false),
            .init(key: "s", name: "select", meaning: "tick or untick", isDown: true),
            .init(key: "d", name: "next", meaning: "next", isDown: false),
        ]
        picture.holds = ["hold [s] 0.8 s: take back", "2.5 s: menu", "6 s: nothing"]
        picture.lastPress = "[d] next, 0.1 s: next"
        var card = BoardPicture.Card(heading: "card 3 of morning", text: "What kept you awake?")
        card.options = ["Noise", "Light", "Pain", "Thoughts", "Something else"].map {
            .init(text: $0, isHere: $0 == "Light", isTicked: $0 == "Light")
        }
        card.how =
            "press next for the next, press previous for the one before; press select ticks or unticks; at “done”, right after a tick, press select"
        picture.card = card
        picture.signals = ["accelerometer", "magnetometer", "sound", "position"].map {
            .init(
                name: $0, seconds: Array(repeating: .stored, count: 30) + [.partly, .lost, .none, .waiting],
                ring: 0.034,
                figures: "100.1/s, 3300 stored, 0 lost")
        }
        picture.delivered = "delivered 12 of 14 items, 2 wait"
        picture.log = (1...50).map {
            "09:00:\($0 % 60 + 10)  line \($0): something happened that takes many words to be told, more than there are columns in a line"
        }
        picture.legend = [
            "[a] [s] [d] press", "Shift: hold", "Alt: hold longer", "[m] menu", "[t] next prompt", "[q] end",
        ]
        return picture
    }

    @Test(arguments: sizes) func noLineIsWiderThanTheTerminalAndNothingScrolls(_ size: ScreenSize) {
        let lines = BoardScreen.lines(Self.picture, size: size)
        #expect(lines.count <= size.rows)
        for line in lines { #expect(line.width <= size.columns, "\(line.text)") }
    }

    @Test(arguments: [(80, 24), (132, 40), (60, 20)].map(ScreenSize.init)) func everythingThatMattersIsThere(
        _ size: ScreenSize
    ) {
        let text = BoardScreen.lines(Self.picture, size: size).map(\.text).joined(separator: "\n")
        let wanted = [
            "09:00:14", "yellow", "440 Hz", "select", "tick or untick", "pressed: [d] next", "card 3 of morning",
            "What kept you awake?",
            "▶[x] Light", "[ ] Pain", "accelerometer", "position", "█▒x·░", "delivered 12 of 14", "line 50", "[m] menu",
            "[q] end",
        ]
        for words in wanted { #expect(text.contains(words), "\(words) is missing at \(size):\n\(text)") }
    }

    /// The common terminal is 80 columns wide: there the rate goes before the curve does.
    @Test(arguments: [(80, false), (81, false), (96, true), (132, true)])
    func aCurveHasItsSpanAndUnitAndTheRateWhereThereIsRoom(columns: Int, hasRate: Bool) throws {
        var picture = Self.picture
        picture.signals = [
            .init(
                name: "accelerometer", sizes: (0..<60).map { 0.9 + Double($0 % 8) / 70 }, unit: "g", seconds: [],
                ring: 0.02, figures: "8063 lost, 3600000 stored, 100.8/s")
        ]
        let lines = BoardScreen.lines(picture, size: ScreenSize(columns: columns, rows: 24)).map(\.text)
        let line = try #require(lines.first { $0.contains("accelerometer") })
        #expect(line.contains("0.90…1.00 g") && line.contains("▁▂▃▄▅▆▇█"), "\(line)")
        #expect(line.contains("8063 lost") && line.contains("100.8/s") == hasRate, "\(line)")
    }

    @Test func aTerminalThatIsTooSmallIsTold() {
        let lines = BoardScreen.lines(Self.picture, size: ScreenSize(columns: 20, rows: 4))
        #expect(lines.map(\.text).joined(separator: " ").contains("40 × 14") && lines.count <= 4)
    }

    @Test func whereTheParticipantIsStaysInSightInALongList() {
        var picture = Self.picture
        picture.card?.options = (1...60).map {
            .init(text: "an option with a rather long text, number \($0)", isHere: $0 == 44, isTicked: nil)
        }
        for size in Self.sizes {
            let text = BoardScreen.lines(picture, size: size).map(\.text).joined(separator: "\n")
            #expect(text.contains("▶an option"), "\(size)")
        }
    }

    /// At a question of several choices the participant is at an option as soon as one was looked at.
    @Test func aComplaintIsDrawnAndAPlaceInWordsIsNot() {
        var picture = Self.picture
        picture.card?.standing = "2 of 5"
        picture.card?.complaint = "This question needs an answer"
        for size in Self.sizes {
            let text = BoardScreen.lines(picture, size: size).map(\.text).joined(separator: "\n")
            #expect(text.contains("▶ This question needs an answer") && !text.contains("2 of 5"), "\(size)")
        }
        picture.card?.complaint = ""
        #expect(!BoardScreen.lines(picture, size: Self.sizes[0]).contains { $0.text.contains("2 of 5") })
        picture.card?.options = []
        #expect(BoardScreen.lines(picture, size: Self.sizes[0]).contains { $0.text.contains("▶ 2 of 5") })
    }

    /// Two rows of four keys have room for two lines of meanings.
    @Test(arguments: [(10, false), (40, true)]) func whatAKeypadHasNoRoomForEndsInAnEllipsis(length: Int, isCut: Bool) {
        var picture = Self.picture
        picture.columns = 4
        picture.buttons = (1...8).map {
            .init(key: "\($0)", name: "", meaning: String(repeating: "m", count: length), isDown: false)
        }
        let lines = BoardScreen.lines(picture, size: ScreenSize(columns: 132, rows: 40))
        let keys = lines.map(\.text).filter { $0.hasPrefix("[ ") }
        #expect(keys.count == 2 && keys.map { $0.hasSuffix("…") } == [false, isCut], "\(keys)")
        for line in lines { #expect(line.width <= 132) }
    }

    @Test func textsOfAnyScriptKeepTheirColumns() {
        var picture = Self.picture
        picture.card?.text = "今日の気分はどうですか？ 🙂 très bien e\u{301}té"
        for size in Self.sizes {
            for line in BoardScreen.lines(picture, size: size) { #expect(line.width <= size.columns, "\(line.text)") }
        }
        #expect(CellWidth.of("気分🙂") == 6 && CellWidth.of("e\u{301}") == 1 && CellWidth.of("é█─") == 3)
    }

    @Test func aScaleShowsWhereItStands() {
        var picture = Self.picture
        picture.card?.options = []
        picture.card?.scale = (low: "0", high: "10", place: 0.5)
        let line =
            BoardScreen.lines(picture, size: ScreenSize(columns: 80, rows: 24)).map(\.text).first { $0.contains("├") }
            ?? ""
        let dots = Array(line).firstIndex(of: "●") ?? 0
        #expect((20...28).contains(dots), "\(line)")
    }
}
