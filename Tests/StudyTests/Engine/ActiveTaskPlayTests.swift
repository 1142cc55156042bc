// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// Active tasks played through edges, gestures and the run, as a finger would.
struct ActiveTaskPlayTests {
    static let sixteen = try! Panel(
        buttons: Panel.buttons(named: (1...16).map { "key " + String($0) }),
        leds: (0..<16).map { Panel.LED("led " + String($0), .mono, button: $0) }, buzzer: .pitched)
    static let panels = [PanelFixtures.one, PanelFixtures.two, .reference, sixteen]
    static let kicks = ActiveTask(KickCounterRules(duration: .seconds(600), count: 10))
    static let span = ActiveTask(SpatialSpanTests.rules(2, 2, 6, games: 4))
    static let hanoi = ActiveTask(TowerOfHanoiRules(disks: 3))

    /// A run in virtual time with a performer; every cue that was given, and the record at the end.
    struct Player {
        let panel: Panel
        var run: TaskRun
        var recogniser: GestureRecogniser
        var now = MonotonicTime.zero
        var cues: [Cue] = []
        var record: RunRecord?
        var progress: [TaskProgress] = []
        var generator = SplitMix64(seed: 5)
        /// Stimuli that were shown, at once.
        var lights = 0
        var lightsRefuse = false
        var lastSign: StimulusSign?

        init(_ task: ActiveTask, on panel: Panel, progress: BrokenPerformance? = nil) {
            let step = Step(key: "q", text: "?", format: .active(task))
            let study = PanelFixtures.task([step])
            self.panel = panel
            run = TaskRun(
                OpenedTask(study, opening: 1, chance: PanelFixtures.chance), facts: StudyFacts(), id: "run",
                now: PanelFixtures.now, panel: panel, cards: CardIndex([study]),
                progress: progress.map { ["": $0] } ?? [:])
            recogniser = GestureRecogniser(panel)
            handle(run.start(at: now))
        }

        mutating func handle(_ effects: [TaskRun.Effect]) {
            for effect in effects {
                switch effect {
                case .say(let told):
                    cues += told
                    for case .stimulus(let mark?, _, let sign) in told { show(mark, sign) }
                case .ended(let record): self.record = record
                case .progress(let progress): self.progress.append(progress)
                default: break
                }
            }
        }

        mutating func show(_ mark: Int, _ sign: StimulusSign) {
            lights += 1
            lastSign = sign
            let light = ShownLight(mark: mark, began: now, ended: now, isLit: !lightsRefuse)
            handle(run.handle(.device(.shown(light)), at: now))
        }

        /// Holds for the menu, and chooses to leave the question out.
        mutating func leaveOutByMenu() {
            press(.menu)
            for _ in 0..<9 where run.takesMenu {
                guard let next = run.press(towards: .leaveOut) else { return }
                press(next.gesture)
                advance(to: now + .milliseconds(300))
            }
        }

        /// Lets time pass, with every tick the run and the buttons want on the way.
        mutating func advance(to time: MonotonicTime) {
            while record == nil, let wake = [run.wake, recogniser.wake].compactMap(\.self).min(), wake <= time {
                now = max(now, wake)
                recognise(recogniser.tick(at: now))
                if let wake = run.wake, wake <= now { handle(run.handle(.tick, at: now)) }
            }
            now = time
        }

        mutating func recognise(_ recognised: [GestureRecogniser.Recognised]) {
            for case .gesture(let gesture, let repeats) in recognised {
                handle(run.handle(.gesture(gesture, repeats: repeats), at: now))
            }
        }

        mutating func press(_ button: Int, hold: Duration = .milliseconds(120)) {
            for (isPressed, time) in [(true, now), (false, now + hold)] {
                advance(to: time)
                guard record == nil else { return }
                let edge = ButtonEvent(button: button, isPressed: isPressed, time: now)
                handle(run.handle(.edge(edge), at: now))
                recognise(recogniser.handle(edge))
            }
        }

        mutating func press(_ gesture: Gesture) {
            let pair = PressFinder(panel).edges(Press(gesture), at: now)!
            press(pair[0].button, hold: pair[1].time - pair[0].time)
        }

        /// Ends a count of kicks: asked for, walked to, said.
        mutating func end() {
            for gesture in [Gesture.select, .next, .select] { press(gesture) }
        }

        /// Counts `count` kicks, ten seconds apart; the first press begins.
        mutating func kick(_ count: Int) {
            for _ in 0..<count {
                advance(to: now + .seconds(10))
                press(.next)
            }
        }

        var counted: [Int] {
            cues.compactMap { if case .counted(let number) = $0 { number } else { nil } }
        }

        mutating func perform(_ strategy: PerformanceStrategy) {
            for _ in 0..<5_000 where record == nil {
                if run.isInReview {
                    advance(to: now + .milliseconds(400))
                    press(.select)
                } else if let move = run.move(strategy, using: &generator) {
                    advance(to: now + move.after)
                    switch move.target {
                    case .button(let button): press(button)
                    case .gesture(let wanted): press(wanted.gesture)
                    }
                    advance(to: now + .milliseconds(200))
                } else if let wake = run.wake {
                    advance(to: wake)
                }
            }
        }

        var performance: Performance? {
            if case .performance(let value)? = record?.answers["q"] { value } else { nil }
        }
    }

    @Test(arguments: panels) func everyKickIsCountedWithItsTime(_ panel: Panel) throws {
        var player = Player(Self.kicks, on: panel)
        player.perform(.perfect)
        guard let record = player.performance?.record as? KickRecord else { throw Missing() }
        #expect(record.kicks.count == 10 && record.count == 10 && record.end == .count)
        #expect(record.kicks == record.kicks.sorted() && record.measured == record.kicks.last)
        #expect(player.record?.end == .submitted)
        #expect(player.progress.count == 11, "kept at the first press and at each kick")
    }

    @Test(arguments: panels) func theCountCanBeCorrectedAtTheEnd(_ panel: Panel) throws {
        var player = Player(Self.kicks, on: panel)
        player.press(.next)
        for _ in 0..<3 {
            player.advance(to: player.now + .seconds(60))
            player.press(.next)
        }
        player.end()
        player.press(.next)
        player.press(.select)
        player.press(.next)
        player.press(.next)
        player.press(.select)
        player.press(.select)
        player.press(.select)
        guard let record = player.performance?.record as? KickRecord else { throw Missing() }
        #expect(record.kicks.count == 3 && record.count == 5 && record.end == .participant)
        #expect((180...190).contains(record.duration.seconds))
    }

    /// The apps show nothing to end it with: iOS hides its submit button until the count or the
    /// time is reached (FetalKickCounterStepViewController.setCounter), Android's answer is invalid
    /// until then (Tappingactivity.getBodyAnswerState).
    @Test(arguments: panels, [120, 700, 1_000, 1_700, 2_700, 3_500, 7_000])
    func noSinglePressEndsTheCount(_ panel: Panel, _ hold: Int) throws {
        for button in panel.buttons.indices {
            var player = Player(Self.kicks, on: panel)
            player.kick(3)
            player.press(button, hold: .milliseconds(hold))
            player.advance(to: player.now + .seconds(20))
            if player.cues.contains(.menuItem(1, RunMenu.resume.phrase)) { player.press(.select) }
            let before = player.counted.count
            player.kick(2)
            #expect(player.counted.count == before + 2 && player.record == nil, "button \(button)")
        }
    }

    @Test(arguments: panels) func whoWantsToEndIsAskedAndToGoOnComesFirst(_ panel: Panel) throws {
        for ways in [[Gesture.select, .select], [.select, .undo], [.select], [.select, .next]] {
            var player = Player(Self.kicks, on: panel)
            player.kick(3)
            for gesture in ways { player.press(gesture) }
            #expect(player.cues.contains(.menuItem(1, KickCounterPhrases.goOn)))
            player.advance(to: player.now + .seconds(16))
            player.kick(1)
            #expect(player.counted == [1, 2, 3] && player.record == nil, "\(ways)")
        }
    }

    @Test(arguments: panels) func theEndIsWhereItWasWantedAndCanBeTakenBack(_ panel: Panel) throws {
        var player = Player(Self.kicks, on: panel)
        player.kick(4)
        let wanted = player.now
        player.end()
        #expect(player.cues.contains(.recordingStopped))
        player.press(.undo)
        player.kick(1)
        #expect(player.counted == [1, 2, 3, 4] && player.record == nil)
        #expect(player.progress.last?.values["kicks"] == 4)
        player.advance(to: player.now + .seconds(30))
        let again = player.now
        player.end()
        player.press(.select)
        player.press(.select)
        guard let record = player.performance?.record as? KickRecord else { throw Missing() }
        #expect(record.kicks.count == 4 && record.end == .participant && record.count == 4)
        // The count began with the first kick's press, ten seconds in; a press of the last
        // gesture begins it.
        #expect(record.measured > again - MonotonicTime.zero - .seconds(12) && again > wanted)
        #expect(record.measured < again - MonotonicTime.zero)
    }

    @Test(arguments: panels) func aKickTooManyThatEndsTheCountCanBeTakenBack(_ panel: Panel) throws {
        var player = Player(Self.kicks, on: panel)
        player.kick(11)
        #expect(player.counted == Array(1...10) && player.cues.contains(.recordingStopped))
        player.advance(to: player.now + .seconds(2))
        player.press(.undo)
        #expect(player.progress.last?.values["kicks"] == 9)
        player.kick(1)
        player.advance(to: player.now + .seconds(2))
        player.press(.select)
        player.press(.select)
        guard let record = player.performance?.record as? KickRecord else { throw Missing() }
        #expect(record.count == 10 && record.end == .count && record.measured > .seconds(105))
    }

    @Test func timeThatIsOverCannotBeTakenBack() {
        var player = Player(Self.kicks, on: .reference)
        player.kick(3)
        player.advance(to: player.now + .seconds(700))
        player.cues = []
        player.press(.undo)
        #expect(player.cues.contains(.refused))
    }

    @Test func aCorrectionIsTakenBackBeforeTheEnd() throws {
        var player = Player(Self.kicks, on: .reference)
        player.kick(4)
        player.end()
        for gesture in [Gesture.next, .select, .next, .next, .select] { player.press(gesture) }
        #expect(player.cues.last == .menuItem(1, KickCounterPhrases.review[0]) && player.cues.contains(.position("5")))
        player.cues = []
        player.press(.undo)
        #expect(player.cues.contains(.undone) && player.cues.contains(.value("3")))
        // In the middle of a correction it is left.
        for gesture in [Gesture.next, .select, .previous, .undo, .select, .select] { player.press(gesture) }
        guard let record = player.performance?.record as? KickRecord else { throw Missing() }
        #expect(record.count == 3 && record.end == .participant)
    }

    @Test func timeOverEndsTheCountAndSaysSo() throws {
        var player = Player(Self.kicks, on: .reference)
        player.press(.next)
        player.advance(to: player.now + .seconds(700))
        #expect(player.cues.contains(.expired))
        player.press(.select)
        player.press(.select)
        guard let record = player.performance?.record as? KickRecord else { throw Missing() }
        #expect(record.end == .duration && record.measured == .seconds(600) && record.count == 0)
    }

    @Test func anUnconfirmedCountIsKept() throws {
        var player = Player(Self.kicks, on: .reference)
        player.press(.next)
        player.advance(to: player.now + .seconds(60))
        player.press(.next)
        player.advance(to: player.now + .seconds(2_000))
        guard let record = player.performance?.record as? KickRecord else { throw Missing() }
        #expect(player.record?.end == .submitted && record.count == 1 && record.end == .duration)
    }

    @Test func halfAnHourWithoutAKickIsRemindedOf() {
        var player = Player(ActiveTask(KickCounterRules(duration: .seconds(7_200), count: 10)), on: .reference)
        player.press(.next)
        player.advance(to: player.now + .seconds(1_801))
        #expect(player.cues.contains(.reminder) && player.record == nil)
    }

    @Test func aRestartedCountGoesOn() throws {
        var first = Player(Self.kicks, on: .reference)
        for _ in 0..<4 {
            first.press(.next)
            first.advance(to: first.now + .seconds(30))
        }
        let kept = BrokenPerformance(rows: first.progress.map(\.values), off: .seconds(45))
        var second = Player(Self.kicks, on: .reference, progress: kept)
        second.perform(.perfect)
        guard let record = second.performance?.record as? KickRecord else { throw Missing() }
        #expect(record.kicks.count == 10 && record.restarts == 1 && record.end == .count)
        #expect(record.kicks.prefix(3).map(\.seconds) == kept.rows.compactMap { $0["last"] })
        #expect(first.progress.map(\.step) == ["q", "q", "q", "q"])
    }

    /// As MyStudies' `Kicks_1.0.json` has it: its text is an instruction before the count.
    @Test func aRestartedCountGoesOnPastItsInstruction() throws {
        var first = Player(Self.kicks, on: .reference)
        first.kick(4)
        let task = PanelFixtures.task([
            Step(key: "introduction", text: "Count.", format: .instruction),
            Step(key: "q", text: "?", format: .active(Self.kicks)),
        ])
        let kept = BrokenPerformance(rows: first.progress.map(\.values), off: .seconds(45))
        let opened = OpenedTask(task, opening: 1, chance: PanelFixtures.chance)
        var bench = PanelBench(.reference, tasks: [task])
        bench.send(.resumed(opened, facts: StudyFacts(), run: "run", now: PanelFixtures.now, ["q": kept]))
        #expect(bench.session.run?.current?.key == "q")
        bench.wait(.seconds(2_000))
        guard case .performance(let performance)? = bench.submitted?.answers["q"],
            let record = performance.record as? KickRecord
        else { throw Missing() }
        #expect(record.restarts == 1 && record.kicks.map(\.seconds) == kept.rows.compactMap { $0["last"] })
    }

    @Test func whatIsReadBeforeAPerformanceDoesNotTakeWhatIsLeftOfIt() {
        var first = Player(Self.kicks, on: .reference)
        first.kick(4)
        let task = PanelFixtures.task([
            Step(key: "introduction", text: "Count.", format: .instruction),
            Step(key: "q", text: "?", format: .active(Self.kicks)),
        ])
        var run = TaskRun(
            OpenedTask(task, opening: 1, chance: PanelFixtures.chance), facts: StudyFacts(), id: "run",
            now: PanelFixtures.now, panel: .reference, cards: CardIndex([task]),
            progress: ["q": BrokenPerformance(rows: first.progress.map(\.values), off: .seconds(45))])
        _ = run.start(at: .zero)
        _ = run.handle(.gesture(.select, repeats: 0), at: .zero + .seconds(1))
        #expect(run.current?.key == "q" && run.drawing.first?.hasPrefix("3") == true)
    }

    /// The second counted on while the first was confirmed after the restart.
    @Test func eachCountOfARunGoesOnWithItsOwnRows() throws {
        func kept(_ presses: Int) -> BrokenPerformance {
            var player = Player(Self.kicks, on: .reference)
            player.kick(presses)
            return BrokenPerformance(rows: player.progress.map(\.values), off: .seconds(45))
        }
        let task = PanelFixtures.task(
            ["unkept", "ended", "open"].map { Step(key: $0, text: "?", format: .active(Self.kicks)) })
        let progress = ["ended": kept(11), "open": kept(4)]
        var bench = PanelBench(.reference, tasks: [task])
        let opened = OpenedTask(task, opening: 1, chance: PanelFixtures.chance)
        bench.send(.resumed(opened, facts: StudyFacts(), run: "run", now: PanelFixtures.now, progress))
        #expect(bench.session.run?.current?.key == "ended")
        var run = TaskRun(
            opened, facts: StudyFacts(), id: "run", now: PanelFixtures.now, panel: .reference,
            cards: CardIndex([task]), progress: progress, beginning: .step("ended"))
        _ = run.start(at: .zero)
        #expect(run.drawing.first?.hasPrefix("10 kicks in") == true)
        _ = run.handle(.gesture(.select, repeats: 0), at: .zero + .seconds(20))
        #expect(run.current?.key == "open" && run.drawing.first?.hasPrefix("3 of 10") == true)
        let elapsed = try #require(progress["open"]?.rows.last?["elapsed"])
        let end = MonotonicTime.zero + .seconds(600 - 45 - elapsed)
        for (time, isCounting) in [(end - .milliseconds(1), true), (end + .milliseconds(1), false)] {
            _ = run.handle(.tick, at: time)
            #expect(run.drawing.first?.hasPrefix("3 of 10") == isCounting)
        }
    }

    /// A count that an older version began has more rows of this one after each restart.
    @Test(arguments: [1, 2, 4])
    func rowsWithoutAStepAreTheFirstOfTheFirstCount(unnamed: Int) {
        func rows(_ presses: Int) -> [[String: Double]] {
            var player = Player(Self.kicks, on: .reference)
            player.kick(presses)
            return player.progress.map(\.values)
        }
        let all = rows(4)
        let parts = ["": Array(all.prefix(unnamed)), "first": Array(all.dropFirst(unnamed)), "second": rows(3)]
        let progress = parts.filter { !$0.value.isEmpty }.mapValues { BrokenPerformance(rows: $0, off: .seconds(45)) }
        let task = PanelFixtures.task(
            ["first", "second"].map { Step(key: $0, text: "?", format: .active(Self.kicks)) })
        let opened = OpenedTask(task, opening: 1, chance: PanelFixtures.chance)
        var bench = PanelBench(.reference, tasks: [task])
        bench.send(.resumed(opened, facts: StudyFacts(), run: "run", now: PanelFixtures.now, progress))
        #expect(bench.session.run?.current?.key == "first")
        #expect(bench.session.run?.drawing.first?.hasPrefix("3 of 10") == true)
    }

    @Test(arguments: [.reference, PanelFixtures.five, sixteen], [PerformanceStrategy.perfect, .fail, .random])
    func spanIsPlayedToItsEnd(_ panel: Panel, _ strategy: PerformanceStrategy) throws {
        var player = Player(Self.span, on: panel)
        player.perform(strategy)
        guard let record = player.performance?.record as? SpanRecord else { throw Missing() }
        #expect(record.cap == (panel.buttons.count == 16 ? nil : 2))
        switch strategy {
        case .perfect: #expect(record.numberOfGames == 4 && record.numberOfFailures == 0)
        case .fail: #expect(record.numberOfGames == 3 && record.numberOfFailures == 3 && record.score == 0)
        default: #expect(record.numberOfGames <= 4)
        }
        let board = SpanBoard(SpatialSpanTests.rules(2, 2, 6, games: 4), on: panel)
        let shown = player.cues.compactMap {
            if case .target(let button, let sign) = $0, sign == board.sign(of: button) { button } else { nil as Int? }
        }
        // The practice, then the sequences; the answer to a right press is shorter.
        #expect(
            shown == board.all
                + record.games.flatMap { game in game.sequence.map { board.targets(span: game.sequence.count)[$0] } })
    }

    @Test func targetsComeAtThePlaySpeedAndPressesBeforeTheTurnDoNothing() throws {
        var player = Player(Self.span, on: .reference)
        for button in 0..<3 { player.press(button) }
        #expect(player.cues.last == .menuItem(1, GamePhrases.pressToBegin))
        player.advance(to: MonotonicTime(nanoseconds: 5_000_000_000))
        let began = player.now
        player.press(0)
        // “Watch” is short, blip, blip: 640 ms.
        let first = began + .milliseconds(640) + .seconds(1)
        #expect(player.cues.last == .watch && player.run.wake == first)
        player.press(0)
        player.advance(to: first + .seconds(2) + .milliseconds(1))
        #expect(player.cues.last == .yourTurn)
        #expect(player.run.wake == first + .seconds(22))
    }

    @Test(arguments: [.reference, PanelFixtures.five, sixteen]) func inThePracticeEachButtonAnswersWithItsOwnSignal(
        _ panel: Panel
    ) throws {
        let board = SpanBoard(SpatialSpanTests.rules(2, 2, 6, games: 4), on: panel)
        var player = Player(Self.span, on: panel)
        #expect(player.cues.last == .menuItem(2, SpatialSpanPhrases.practice))
        for button in board.all.dropLast() + [board.all[0]] {
            player.press(button)
            #expect(player.cues.suffix(2).first == .target(button: button, board.sign(of: button)))
            player.advance(to: player.now + .seconds(1))
        }
        player.press(try #require(board.all.last))
        #expect(player.cues.last == .menuItem(1, GamePhrases.pressToBegin))
        #expect(Set(board.all.map(board.sign)).count == board.all.count || board.senses.byPlace)
    }

    @Test func theMenuLeavesThePracticeUnfinished() {
        var player = Player(Self.span, on: .reference)
        player.press(0)
        player.advance(to: player.now + .seconds(1))
        player.press(.menu)
        #expect(player.run.takesMenu)
        player.press(.undo)
        #expect(player.cues.last == .menuItem(2, SpatialSpanPhrases.practice))
    }

    @Test func theMenuThrowsTheGameAway() throws {
        var player = Player(Self.span, on: .reference)
        for button in 0..<3 { player.press(button) }
        player.press(0)
        player.advance(to: player.now + .seconds(5))
        player.press(1, hold: .seconds(3))
        #expect(player.cues.contains(.menuItem(1, PanelPhrases.backToQuestion)))
        player.press(.select)
        player.perform(.perfect)
        guard let record = player.performance?.record as? SpanRecord else { throw Missing() }
        #expect(record.games.first?.status == .unknown && record.games.first?.touches.isEmpty == true)
        #expect(record.numberOfGames == 4 && record.numberOfFailures == 0)
    }

    /// The middle button of three is held for the menu: what its press means is known at the release, and nothing
    /// where the game is thrown away or lost before that.
    @Test(arguments: 1...12 as ClosedRange<UInt64>, [nil, .unknown, .timeout] as [SpanRecord.Status?])
    func aTouchHasTheTimeOfItsPressThoughTheReleaseIsTooLate(_ seed: UInt64, _ before: SpanRecord.Status?) throws {
        var step = SpatialSpanStep(
            SpatialSpanTests.rules(2, 2, 2, games: before == .timeout ? 2 : 1),
            in: QuestionContext(
                panel: .reference, now: PanelFixtures.now, recordingID: "r", generator: SplitMix64(seed: seed)))
        var effects: [QuestionEffect] = []
        func press(_ button: Int, at time: MonotonicTime) {
            for (isPressed, moment) in [(true, time), (false, time + .milliseconds(120))] {
                while let wake = step.wake, wake <= moment { effects += step.handle(.tick(wake)) }
                effects += step.handle(.edge(ButtonEvent(button: button, isPressed: isPressed, time: moment)))
            }
        }
        func begin(at time: MonotonicTime) -> MonotonicTime {
            var opened = time
            press(0, at: time)
            while effects.last != .say(.yourTurn), let wake = step.wake {
                opened = wake
                effects += step.handle(.tick(wake))
            }
            return opened
        }
        for button in 0...2 { press(button, at: .zero + .seconds(1)) }
        var opened = begin(at: .zero + .seconds(1))
        if let before {
            let down = opened + .seconds(19)
            effects += step.handle(.edge(ButtonEvent(button: 1, isPressed: true, time: down)))
            if before == .unknown { effects += step.handle(.interrupted) }
            while effects.last == .say(.yourTurn), let wake = step.wake { effects += step.handle(.tick(wake)) }
            effects += step.handle(.edge(ButtonEvent(button: 1, isPressed: false, time: down + .seconds(7))))
            opened = begin(at: down + .seconds(9))
        }
        var draw = SplitMix64(seed: 1)
        for number in 1...2 {
            guard case .button(let button)? = step.move(.perfect, using: &draw)?.target else { throw Missing() }
            press(button, at: opened + .milliseconds(19_950 * number))
        }
        guard case .answered(.performance(let performance))? = effects.last,
            let record = performance.record as? SpanRecord
        else { throw Missing() }
        #expect(record.games.map(\.status) == (before.map { [$0] } ?? []) + [.success])
        #expect(record.games.last?.touches.map(\.time) == [.milliseconds(19_950), .milliseconds(39_900)])
    }

    @Test func theHoldForTheMenuMovesNoDisk() throws {
        var player = Player(Self.hanoi, on: .reference)
        player.press(0)
        player.press(1, hold: .seconds(3))
        #expect(player.run.takesMenu)
        player.press(.select)
        player.perform(.perfect)
        guard let record = player.performance?.record as? HanoiRecord else { throw Missing() }
        #expect(record.isSolved && record.moves.count == 7 && record.illegalMoves == 0)
    }

    @Test(arguments: panels) func hanoiIsSolvedInSevenMoves(_ panel: Panel) throws {
        var player = Player(Self.hanoi, on: panel)
        player.perform(.perfect)
        guard let record = player.performance?.record as? HanoiRecord else { throw Missing() }
        #expect(record.isSolved && record.moves.count == 7 && record.moves[0].time == .zero)
        #expect(player.cues.contains(.won))
    }

    @Test(arguments: panels) func hanoiIsGivenUpInTheMenu(_ panel: Panel) throws {
        var player = Player(Self.hanoi, on: panel)
        player.press(.menu)
        player.press(.next)
        player.press(.select)
        player.press(.select)
        guard let record = player.performance?.record as? HanoiRecord else { throw Missing() }
        #expect(!record.isSolved && record.moves.isEmpty && player.record?.end == .submitted)
    }

    struct Missing: Error {}
}

extension TaskRun {
    /// Whether the menu is open.
    var takesMenu: Bool { if case .menu = state { true } else { false } }
}
