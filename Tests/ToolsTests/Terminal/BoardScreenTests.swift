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
        picture.card?.currentPlace = "2 of 5"
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

    /// Boxes of 16 to 26 columns with two between them, from 30 rows on. Three of 16 and the gaps take 52.
    @Test(
        arguments: [
            (100, 30, 26), (82, 30, 26), (81, 30, 25), (52, 30, 16), (51, 30, nil), (100, 29, nil), (82, 31, 26),
        ] as [(Int, Int, Int?)])
    func buttonsAreBoxesWhereThereIsRoom(columns: Int, rows: Int, width: Int?) {
        let lines = BoardScreen.lines(Self.picture, size: ScreenSize(columns: columns, rows: rows)).map(\.text)
        guard let width else {
            #expect(lines[2].hasPrefix("[a] previous: the one before"))
            return
        }
        func row(_ box: (String) -> String) -> String { ["a", "s", "d"].map(box).joined(separator: "  ") }
        func bar(_ count: Int) -> String { String(repeating: "─", count: count) }
        #expect(lines[2] == row { "┌─ [\($0)] \(bar(width - 8))┐" })
        #expect(lines[3].hasPrefix("│ previous" + String(repeating: " ", count: width - 11) + "│  │ select "))
        #expect(lines[4].hasPrefix("│ the one before".prefix(width - 3)) && lines[4].hasSuffix("│"))
        #expect(lines[5] == row { _ in "└\(bar(width - 2))┘" })
    }

    @Test(arguments: [(1, 1), (5, 1), (6, 2), (8, 2), (9, 3)]) func moreThanFiveButtonsLieFourToARow(
        count: Int, rows: Int
    ) {
        var picture = Self.picture
        picture.buttons = (1...count).map { .init(key: "\($0)", name: "", meaning: "", isDown: false) }
        let lines = BoardScreen.lines(picture, size: ScreenSize(columns: 80, rows: 24)).map(\.text)
        let isKeypad = lines[2].hasPrefix("[ 1 ]")
        #expect(isKeypad == (count > 5))
        if isKeypad { #expect(lines[2...].prefix { $0.hasPrefix("[ ") }.count == rows) }
    }

    @Test func aKeyShowsItsLightAndThatItIsDown() {
        var picture = Self.picture
        let red = TextStyle.Colour(255, 0, 0)
        picture.columns = 4
        picture.buttons = [
            .init(key: "1", name: "", meaning: "", isDown: false), .init(key: "2", name: "", meaning: "", isDown: true),
            .init(key: "3", name: "", meaning: "", isDown: false, light: red),
            .init(key: "4", name: "", meaning: "", isDown: true, light: red),
        ]
        let line = BoardScreen.lines(picture, size: ScreenSize(columns: 80, rows: 24))[2]
        #expect(line.text == "[ 1 ] [ 2 ] [█3█] [●4█] ")
        let style = TextStyle(background: red)
        let styles = line.pieces.filter { $0.text != " " }.map(\.style)
        #expect(styles == [.plain, .reversed, style, style])
    }

    /// Six rows of options, three of them before the participant's place where there are as many.
    @Test(arguments: [(0, 0), (3, 0), (4, 1), (30, 27), (56, 53), (57, 54), (59, 54)])
    func theOptionsAroundThePlaceAreShown(place: Int, first: Int) {
        var picture = Self.picture
        let text = String(repeating: "x", count: 80)
        picture.card?.options = (0..<60).map { .init(text: "\(text) \($0)", isHere: $0 == place, isTicked: nil) }
        let lines = BoardScreen.lines(picture, size: ScreenSize(columns: 132, rows: 60)).map(\.text)
        let shown = lines.filter { $0.contains(text) }.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
        #expect(shown == Array(first..<first + 6))
        #expect(lines.first { $0.hasPrefix("▶") }?.contains("\(text) \(place)") == true)
    }

    /// Four lines of the log are kept free before anything is left out, first the second row of what holds do.
    @Test func nothingIsLeftOutWhereItJustFits() throws {
        var picture = Self.picture
        picture.holds = (0..<6).map { "hold \($0) for as long as it takes" }
        func lines(_ rows: Int) -> [String] {
            BoardScreen.lines(picture, size: ScreenSize(columns: 132, rows: rows)).map(\.text)
        }
        func holds(_ lines: [String]) -> Int { lines.count { $0.hasPrefix("hold ") } }
        let ample = lines(29)
        let end = try #require(ample.firstIndex { $0.contains("what happened") })
        let exact = end + 1 + 4 + 1
        #expect(exact < 29 && holds(ample) == 2)
        #expect(Array(lines(exact)[...end]) == Array(ample[...end]))
        #expect(holds(lines(exact - 1)) == 1)
    }

    /// Where rows are few the options go one row after the other: beside six rows of them there are two of what holds
    /// do, beside five or four one, beside fewer none.
    @Test func whatHoldsDoGoesBeforeTheOptions() {
        var picture = Self.picture
        let text = String(repeating: "x", count: 80)
        picture.holds = (0..<6).map { "hold \($0) for as long as it takes" }
        picture.card?.options = (0..<60).map { .init(text: "\(text) \($0)", isHere: $0 == 30, isTicked: nil) }
        var holds: [Int: Set<Int>] = [:]
        for rows in 14..<30 {
            let lines = BoardScreen.lines(picture, size: ScreenSize(columns: 132, rows: rows)).map(\.text)
            holds[lines.count { $0.contains(text) }, default: []].insert(lines.count { $0.hasPrefix("hold ") })
            #expect(lines.count == rows && lines.contains { $0.contains("▶\(text) 30") }, "\(rows)")
        }
        let found = (2...6).map { holds[$0] ?? [] }
        #expect(found == [[0], [0], [1], [1], [2]], "\(holds)")
    }

    /// The lights do not wrap: what has no room in their row of 47 columns is not there, and the rest keeps its style.
    @Test(arguments: [40, 41, 46, 47, 48]) func aRowOfLightsEndsAtTheEdge(columns: Int) {
        let wide = BoardScreen.lines(Self.picture, size: ScreenSize(columns: 132, rows: 24))[1]
        let line = BoardScreen.lines(Self.picture, size: ScreenSize(columns: columns, rows: 24))[1]
        #expect(line.text == String(wide.text.prefix(columns)))
        #expect(line.pieces.map(\.style) == wide.pieces.map(\.style).prefix(line.pieces.count).map { $0 })
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

    /// Of 44 columns two are its ends; what lies beyond them is shown at the nearer one.
    @Test(
        arguments: [(nil, nil), (-1, 0), (0, 0), (0.5, 21), (1, 41), (2, 41)] as [(Double?, Int?)])
    func aPlaceIsWithinItsScale(place: Double?, column: Int?) {
        var picture = Self.picture
        picture.card?.options = []
        picture.card?.scale = .init(low: "0", high: "10", place: place)
        let lines = BoardScreen.lines(picture, size: ScreenSize(columns: 80, rows: 24)).map(\.text)
        let line = (0..<42).map { $0 == column ? "●" : "─" }.joined()
        #expect(lines.contains("0 ├\(line)┤ 10"), "\(lines)")
    }

    /// A scale of fewer than eight columns is none: its ends are named alone.
    @Test(arguments: [(35, true), (36, false)]) func aScaleThatHasNoRoomIsItsEnds(length: Int, isDrawn: Bool) {
        var picture = Self.picture
        let (low, high) = (String(repeating: "l", count: 35), String(repeating: "h", count: length))
        picture.card?.options = []
        picture.card?.scale = .init(low: low, high: high, place: 0)
        let lines = BoardScreen.lines(picture, size: ScreenSize(columns: 80, rows: 24)).map(\.text)
        #expect(lines.contains(isDrawn ? "\(low) ├●─────┤ \(high)" : "\(low) … \(high)"), "\(lines)")
    }

    @Test func aScaleShowsWhereItStands() {
        var picture = Self.picture
        picture.card?.options = []
        picture.card?.scale = .init(low: "0", high: "10", place: 0.5)
        let line =
            BoardScreen.lines(picture, size: ScreenSize(columns: 80, rows: 24)).map(\.text).first { $0.contains("├") }
            ?? ""
        let dots = Array(line).firstIndex(of: "●") ?? 0
        #expect((20...28).contains(dots), "\(line)")
    }
}
