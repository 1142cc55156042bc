// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

struct SpanBoardTests {
    /// A panel of that many buttons; `lit`: a light at each, else one light. `seconds`: the play
    /// speed.
    static func panel(
        _ buttons: Int, lit: Bool = false, light: Bool = true, buzzer: Panel.Buzzer? = .pitched, shakes: Bool = false,
        columns: Int? = nil, caps: Bool = false
    ) throws -> Panel {
        let own = (0..<buttons).map { Panel.LED("light \($0)", .mono, button: $0) }
        return try Panel(
            buttons: Panel.buttons(named: (1...buttons).map { "key \($0)" }),
            leds: lit ? own : light ? [Panel.LED("status", .mono)] : [], buzzer: buzzer, hasVibration: shakes,
            columns: columns,
            capsSpans: caps)
    }

    static func board(_ panel: Panel, _ initial: Int = 2, _ minimum: Int = 2, _ maximum: Int = 8, seconds: Double = 1)
        -> SpanBoard
    {
        SpanBoard(
            SpatialSpanRules(
                initialSpan: initial, minimumSpan: minimum, maximumSpan: maximum, period: .seconds(seconds),
                maximumGames: 5,
                maximumFailures: 3), on: panel)
    }

    @Test func aKeypadCarriesWhatItsSquaresAllow() throws {
        let cases: [(buttons: Int, columns: Int?, longest: Int)] = [
            (9, nil, 4), (12, 3, 4), (12, 6, 2), (16, nil, 8), (16, 4, 8), (16, 2, 2), (5, nil, 2), (3, nil, 2),
            (5, 5, 2), (9, 2, 2),
        ]
        for item in cases {
            let board = Self.board(try Self.panel(item.buttons, lit: true, columns: item.columns))
            #expect(board.longest == item.longest, "\(item)")
        }
    }

    /// ResearchKit shows a span of 3 or 4 on three by three tiles; on four by four keys that is
    /// their upper left.
    @Test func aSquareIsTheUpperLeftOfTheKeys() throws {
        let board = Self.board(try Self.panel(16, lit: true, columns: 4))
        #expect(board.targets(span: 2) == [0, 1, 4, 5])
        #expect(board.targets(span: 3) == [0, 1, 2, 4, 5, 6, 8, 9, 10] && board.targets(span: 8) == Array(0..<16))
        #expect(board.sign(of: 5).pitch == board.sign(of: 4).pitch && board.sign(of: 5).pulses == 2)
        #expect(board.sign(of: 0).pitch != board.sign(of: 4).pitch && board.sign(of: 0).ownLight == .milliseconds(500))
    }

    @Test func withoutLightsOfTheirOwnFourTargetsAreTheMost() throws {
        let board = Self.board(try Self.panel(9), seconds: 2)
        #expect(board.longest == 2 && board.all.count == 4 && board.refusal == nil)
        #expect(board.all.map { board.sign(of: $0).pulses } == [1, 2, 3, 4])
        for maximum in 2...8 {
            let board = Self.board(try Self.panel(16), 2, 2, maximum)
            #expect(board.longest == 2 && board.all.count == 4 && board.refusal == nil, "\(maximum)")
        }
    }

    /// Two by two need two keys in the second row.
    @Test(arguments: [(5, 3, [0, 1, 3, 4]), (4, 3, [0, 1, 2, 3]), (6, 4, [0, 1, 4, 5]), (5, 4, [0, 1, 2, 3])])
    func withoutASquareTheFirstFourButtonsAreTheTargets(buttons: Int, columns: Int, targets: [Int]) throws {
        let board = Self.board(try Self.panel(buttons, lit: true, columns: columns))
        #expect(board.targets(span: 2) == targets && board.longest == 2)
    }

    /// Buttons of a task and markers are none.
    @Test func aButtonThatIsThereForOneThingIsNoTarget() throws {
        let panel = try Panel(
            buttons: Panel.buttons(
                named: ["pain", "a", "b", "mark", "c", "d"], tasks: ["pain": "survey"], markers: ["mark"]),
            leds: ["pain", "a", "b", "mark", "c", "d"].enumerated().map { Panel.LED($1, .mono, button: $0) },
            buzzer: .pitched)
        #expect(panel.targets == [1, 2, 4, 5])
        let board = Self.board(panel)
        #expect(board.all == [1, 2, 4, 5] && board.longest == 2 && board.refusal == nil)
    }

    /// Who lacks the one sense, or the time, cannot do it: then it is refused, with the remedy.
    @Test func oneSenseAloneOrTooLittleTimeIsRefused() throws {
        let refused: [(panel: Panel, seconds: Double, words: String)] = [
            (try Self.panel(1), 1, "three buttons"), (try Self.panel(2), 1, "three buttons"),
            (try Self.panel(2, lit: true, caps: true), 1, "the board has 2"),
            (try Self.panel(3, light: false), 1, "one sense only"),
            (try Self.panel(3, buzzer: nil), 1, "one sense only"),
            (try Self.panel(3, light: false, buzzer: nil, shakes: true), 1, "one sense only"),
            (try Self.panel(3), 0.5, "play speed"), (try Self.panel(4), 0.9, "play speed"),
            (try Self.panel(4, light: false, shakes: true), 0.59, "one sense only"),
        ]
        for item in refused {
            let reason = Self.board(item.panel, seconds: item.seconds).refusal
            #expect(reason?.contains(item.words) == true, "\(reason ?? "not refused")")
        }
        let played: [(panel: Panel, seconds: Double)] = [
            (try Self.panel(3), 1), (try Self.panel(3, buzzer: .fixed), 1), (try Self.panel(4), 1),
            // Just slow enough for pulses of light: 0.2 s from one to the next.
            (try Self.panel(3), 0.8),
            // And for those of sound and of shaking: 0.12 s.
            (try Self.panel(4, light: false, shakes: true), 0.6),
            (try Self.panel(3, light: false, shakes: true), 1), (try Self.panel(3, buzzer: nil, shakes: true), 1),
            (try Self.panel(3, lit: true, buzzer: nil), 0.5), (try Self.panel(16, lit: true, buzzer: .fixed), 0.5),
        ]
        for item in played { #expect(Self.board(item.panel, seconds: item.seconds).refusal == nil) }
    }

    @Test func aShorterSpanThanTheStudysIsRefusedUnlessTheBoardFileAllowsIt() throws {
        for (initial, minimum) in [(3, 2), (3, 3), (5, 2)] {
            let board = Self.board(try Self.panel(3), initial, minimum)
            #expect(board.refusal?.contains("cap_span = true") == true && board.refusal?.contains("keypad") == true)
            let capped = Self.board(try Self.panel(3, caps: true), initial, minimum)
            #expect(capped.refusal == nil && capped.rules.initialSpan == 2)
            #expect(capped.cap().contains("begins with 2, not \(initial)"), "\(capped.cap())")
            #expect(capped.cap().contains("minimum is 2, not 3") == (minimum == 3))
        }
        // Only the longest is out of reach: that is played, and said.
        let board = Self.board(try Self.panel(3))
        #expect(board.refusal == nil && board.cap() == "; no sequence is longer than 2 (the study: up to 8)")
        #expect(Self.board(try Self.panel(16, lit: true)).cap().isEmpty)
    }

    /// The remedy depends on what is missing: buttons, or a light at each of those that are there.
    @Test func aRefusalSaysHowManyButtonsThereAreAndWhetherEachHasALight() throws {
        let unlit = Self.board(try Self.panel(3), 3).refusal
        #expect(unlit?.contains("2 at most (3 buttons, not all with a light)") == true, "\(unlit ?? "")")
        let lit = Self.board(try Self.panel(5, lit: true), 3).refusal
        #expect(lit?.contains("2 at most (5 buttons)") == true, "\(lit ?? "")")
    }

    @Test func aCapIsInTheResult() throws {
        let step = Step(
            key: "q", text: "",
            format: .active(
                ActiveTask(
                    SpatialSpanRules(
                        initialSpan: 3, minimumSpan: 3, maximumSpan: 9, period: .seconds(1), maximumGames: 2,
                        maximumFailures: 2))))
        let panel = try Self.panel(3, caps: true)
        #expect(PanelSupport(step, on: try Self.panel(3)).isRefused && !PanelSupport(step, on: panel).isRefused)
        guard case .active(let task) = step.format else { return }
        var player = ActiveTaskPlayTests.Player(task, on: panel)
        player.perform(.perfect)
        guard let record = player.performance?.record as? SpanRecord else { throw ActiveTaskPlayTests.Missing() }
        #expect(record.cap == 2 && record.games.map(\.sequence.count) == [2, 2] && record.numberOfFailures == 0)
        #expect(Performance(record).summary(in: .english).contains("capped at 2"))
    }

    /// A sign is over before the next one begins, with a pause that is longer than any within it.
    @Test(arguments: [2, 3, 4, 9, 16], [0.5, 0.6, 0.75, 1, 1.3, 2, 20]) func signsOfOneTestDoNotRunTogether(
        _ count: Int, _ seconds: Double
    ) throws {
        for lit in [true, false] {
            let panel = try Self.panel(count, lit: lit)
            let board = Self.board(panel, seconds: seconds)
            guard board.refusal == nil else { continue }
            for button in board.all {
                let plan = Signals(panel).plan(.target(button: button, board.sign(of: button)))
                let pause = Duration.seconds(seconds) - plan.duration
                let within = plan.steps.filter { !$0.isOn }.map(\.duration).max() ?? .zero
                #expect(pause >= within * 3 - .milliseconds(3), "\(button): \(plan.steps)")
                #expect(plan.steps.allSatisfy { $0.duration >= .milliseconds(1) }, "\(plan.steps)")
                #expect(plan.steps.count { $0.sounds } >= 1 && (lit ? plan.steps.first?.button == button : true))
                if lit {
                    let shining = plan.steps.filter { $0.light != nil }.reduce(Duration.zero) { $0 + $1.duration }
                    #expect(
                        shining == .milliseconds(Int((seconds * 500).rounded())),
                        "half of the period, as in ResearchKit")
                }
            }
        }
    }

    /// Of more than four targets the row has a pitch, where the board has any; up to four are counted.
    @Test(
        arguments: [
            (9, true, .pitched, "the light at each button, its pitch and pulses of sound"),
            (9, true, .fixed, "the light at each button"),
            (4, true, .pitched, "the light at each button, and pulses of sound"),
            (5, true, .pitched, "the light at each button, and pulses of sound"),
            (9, true, nil, "the light at each button"),
        ] as [(Int, Bool, Panel.Buzzer?, String)])
    func howTargetsAreToldIsSaid(buttons: Int, lit: Bool, buzzer: Panel.Buzzer?, words: String) throws {
        #expect(Self.board(try Self.panel(buttons, lit: lit, buzzer: buzzer)).signalText() == words)
    }
}
