// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

struct KickCounterTests {
    static func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    @Test func firstPressStartsTheClockAndIsNoKick() {
        var counter = KickCounter(KickCounterRules(duration: .seconds(60), count: 3))
        #expect(!counter.isCounting)
        let result1 = counter.press(at: Self.time(10))
        #expect(result1 == false)
        #expect(counter.isCounting && counter.kicks.isEmpty)
        let result2 = counter.press(at: Self.time(12.5))
        #expect(result2 == true)
        #expect(counter.kicks == [.milliseconds(2_500)])
    }

    @Test func endsWithTheLastKickOfItsCount() {
        var counter = KickCounter(KickCounterRules(duration: .seconds(60), count: 2))
        for second in [0.0, 3, 7] { _ = counter.press(at: Self.time(second)) }
        #expect(counter.ended?.end == .count && counter.ended?.measured == .seconds(7))
        let result3 = counter.press(at: Self.time(8))
        #expect(result3 == false)
        #expect(counter.record(count: 2, duration: .seconds(7))?.kicks == [.seconds(3), .seconds(7)])
    }

    @Test func aPressAfterTheTimeIsNoKick() {
        var counter = KickCounter(KickCounterRules(duration: .seconds(60), count: 9))
        _ = counter.press(at: Self.time(0))
        #expect(counter.end == Self.time(60))
        let result4 = counter.press(at: Self.time(60))
        #expect(result4 == false)
        #expect(counter.ended?.end == .duration && counter.ended?.measured == .seconds(60))
    }

    @Test(arguments: [(20.0 as Double?, 32.0, false), (nil, 12, true), (-5, 12, false), (1_000, 60, false)])
    func aRestartGoesOnFromWhatWasKept(_ off: Double?, _ elapsed: Double, _ isUncertain: Bool) throws {
        let rules = KickCounterRules(duration: .seconds(60), count: 9)
        var counter = KickCounter(rules)
        _ = counter.press(at: Self.time(100))
        _ = counter.press(at: Self.time(112))
        let kept = try #require(counter.progress(at: Self.time(112)))
        // Another boot: the monotonic clock has begun again.
        var again = KickCounter(rules, from: kept, off: off.map { .seconds($0) }, at: Self.time(3))
        _ = again.tick(at: Self.time(3))
        #expect(again.elapsed(at: Self.time(3)) == .seconds(elapsed))
        #expect(again.kicks == [.seconds(12)])
        #expect((again.ended?.end == .duration) == (elapsed == 60))
        #expect(again.progress(at: Self.time(3))?.isTimeUncertain == isUncertain)
        #expect(again.progress(at: Self.time(3))?.restarts == 1)
    }

    /// JSON knows numbers that no count has (RFC 8259, 6): a damaged row is left out.
    @Test(arguments: [1e300, -1e300, 1.5, 9_223_372_036_854_775_808]) func noNumberOfARowEndsTheProgram(
        _ number: Double
    ) {
        let rows = [
            ["kicks": 1, "last": 12, "elapsed": 12, "restarts": 0],
            ["kicks": number, "last": 20, "elapsed": 20, "restarts": number],
        ]
        let kept = KickCounter.Progress(BrokenPerformance(rows: rows, off: .zero))
        #expect(kept?.kicks == [.seconds(12)] && kept?.restarts == 0)
    }

    @Test(arguments: [(0, 10), (90_000, 10), (60, 0), (60, 10_000)])
    func impossibleLimitsAreNamed(_ seconds: Int, _ count: Int) {
        #expect(
            ActiveTask(KickCounterRules(duration: .seconds(seconds), count: count)).problems.count == 1)
    }

    /// The menu over the question whether to end, and the question left out there: what was counted
    /// is the answer. The apps show nothing to end with before the count or the time is reached
    /// (see `KickCounterStep`), so none of them has such an answer to compare with.
    @Test(arguments: ActiveTaskPlayTests.panels, [0, 1, 9])
    func leftOutWhileAskedWhetherToEndItSendsWhatWasCounted(_ panel: Panel, _ kicks: Int) throws {
        var player = ActiveTaskPlayTests.Player(ActiveTaskPlayTests.kicks, on: panel)
        player.kick(1 + kicks)
        player.advance(to: player.now + .seconds(40))
        player.press(.select)
        #expect(player.cues.last == .menuItem(1, KickCounterPhrases.goOn))
        player.leaveOutByMenu()
        player.press(.select)
        let record = try #require(player.performance?.record as? KickRecord)
        #expect(record.count == kicks && record.kicks.count == kicks && record.end == .participant)
        #expect(record.duration == .seconds(record.measured.components.seconds) && record.duration >= .seconds(40))
    }

    /// The numbers of an earlier review, corrected there or not, are no longer meant.
    @Test(arguments: ActiveTaskPlayTests.panels, [true, false])
    func leftOutAfterTheEndWasTakenBackItSendsWhatWasCountedSince(_ panel: Panel, _ isCorrected: Bool) throws {
        var player = ActiveTaskPlayTests.Player(ActiveTaskPlayTests.kicks, on: panel)
        player.kick(4)
        player.end()
        if isCorrected {
            for gesture in [Gesture.next, .select, .next, .next, .select, .undo] { player.press(gesture) }
        }
        player.press(.undo)
        player.kick(2)
        player.press(.select)
        player.leaveOutByMenu()
        player.press(.select)
        let record = try #require(player.performance?.record as? KickRecord)
        #expect(record.count == 5 && record.kicks.count == 5 && record.end == .participant)
        #expect(record.duration == .seconds(record.measured.components.seconds))
    }

    /// In each state, through the step alone; what was corrected is kept, and before the count begins
    /// there is no answer (nil).
    @Test(
        arguments: [
            ([], nil), ([.next], 0), ([.next, .next], 1), ([.next, .next, .select], 1),
            ([.next, .next, .select, .next], 1), ([.next, .next, .select, .next, .select], 1),
            ([.next, .next, .select, .next, .select, .next, .select, .next, .select], 2),
        ] as [([Gesture], Int?)])
    func theMenuLeavesItOutWithWhatWasCounted(_ gestures: [Gesture], _ count: Int?) {
        var step = KickCounterStep(
            KickCounterRules(duration: .seconds(600), count: 10),
            in: QuestionContext(panel: .reference, now: PanelFixtures.now, recordingID: "r"))
        var time = MonotonicTime.zero
        for gesture in gestures {
            time = time + .seconds(40)
            _ = step.handle(.edge(ButtonEvent(button: 0, isPressed: true, time: time)))
            _ = step.handle(.edge(ButtonEvent(button: 0, isPressed: false, time: time)))
            _ = step.handle(.gesture(gesture, repeats: 0))
        }
        _ = step.handle(.interrupted)
        let answers = step.handle(.gaveUp).compactMap { effect -> KickRecord? in
            guard case .answered(.performance(let performance)) = effect else { return nil }
            return performance.record as? KickRecord
        }
        #expect(answers.map(\.count) == (count.map { [$0] } ?? []))
        #expect(answers.allSatisfy { $0.duration == $0.measured })
    }

    /// Who asks to end and says no more goes on counting, a quarter of a minute after the last press.
    @Test(arguments: [(14_999, false), (15_000, true)]) func theQuestionWhetherToEndWaitsFifteenSeconds(
        milliseconds: Int, goesOn: Bool
    ) {
        var step = KickCounterStep(
            KickCounterRules(duration: .seconds(600), count: 10),
            in: QuestionContext(panel: .reference, now: PanelFixtures.now, recordingID: "r"))
        for gesture in [Gesture.next, .select] {
            _ = step.handle(.edge(ButtonEvent(button: 0, isPressed: true, time: .zero)))
            _ = step.handle(.edge(ButtonEvent(button: 0, isPressed: false, time: .zero)))
            _ = step.handle(.gesture(gesture, repeats: 0))
        }
        #expect(step.wake == .zero + .seconds(15))
        let effects = step.handle(.tick(.zero + .milliseconds(milliseconds)))
        #expect(effects.isEmpty != goesOn, "\(effects)")
    }

    /// Played at random, a kick comes after one, two or three times the even distance: 600 s over twelve
    /// stretches, as ten kicks and both ends have them.
    @Test func aPlayedCountKeepsToItsDistances() {
        var step = KickCounterStep(
            KickCounterRules(duration: .seconds(600), count: 10),
            in: QuestionContext(panel: .reference, now: PanelFixtures.now, recordingID: "r"))
        _ = step.handle(.edge(ButtonEvent(button: 0, isPressed: true, time: .zero)))
        _ = step.handle(.edge(ButtonEvent(button: 0, isPressed: false, time: .zero)))
        _ = step.handle(.gesture(.next, repeats: 0))
        var generator = SplitMix64(seed: 1)
        let waits = (0..<200).compactMap { _ in step.move(.random, using: &generator)?.after }
        #expect(Set(waits) == [.seconds(50), .seconds(100), .seconds(150)])
    }

    /// Pressed before the time was over and let go after it: no kick, as in the apps, where the
    /// button is gone by then, and no step in the review.
    @Test func aKickHeldOverTheEndMovesNothing() throws {
        var player = ActiveTaskPlayTests.Player(
            ActiveTask(KickCounterRules(duration: .seconds(60), count: 10)), on: PanelFixtures.two)
        player.press(.next)
        player.advance(to: .zero + .milliseconds(59_950))
        player.press(.next)
        player.advance(to: player.now + .seconds(2))
        player.press(.select)
        player.press(.select)
        let record = try #require(player.performance?.record as? KickRecord)
        #expect(record.count == 0 && record.end == .duration && record.duration == .seconds(60))
    }

    /// Kicks come in bursts: the last one or the time ends the count, and the hand goes on.
    @Test(arguments: [(1, false), (300, false), (1_999, false), (2_000, true)], [true, false])
    func theReviewTakesPressesFromTwoSecondsAfterTheCount(_ press: (milliseconds: Int, isTaken: Bool), isLast: Bool) {
        var count = Counting()
        count.kick(isLast ? 10 : 3)
        if !isLast { count.wait(until: 600) }
        let end: Double = isLast ? 10 : 600
        count.press(.next, at: end + Double(press.milliseconds) / 1_000)
        // "Keep this", unless the press moved on to "correct the number".
        count.press(.select, at: end + 5)
        #expect((count.record == nil) == press.isTaken)
        #expect(press.isTaken || count.record?.count == (isLast ? 10 : 3))
    }

    /// The last contact is double, and three taps follow it.
    @Test(arguments: ActiveTaskPlayTests.panels) func tapsAfterTheLastKickCorrectNothing(_ panel: Panel) throws {
        var player = ActiveTaskPlayTests.Player(
            ActiveTask(KickCounterRules(duration: .seconds(120), count: 2)), on: panel)
        for milliseconds in [2_000, 10_000, 14_000, 14_140, 14_300, 14_600, 15_900] {
            player.advance(to: .zero + .milliseconds(milliseconds))
            player.press(.next)
        }
        player.advance(to: .zero + .seconds(20))
        player.press(.select)
        player.press(.select)
        let record = try #require(player.performance?.record as? KickRecord)
        #expect(record.kicks == [.seconds(8), .seconds(12)] && record.count == 2)
        #expect(record.end == .count && record.duration == .seconds(12))
    }

    private static func step(on panel: Panel = .reference, _ progress: BrokenPerformance? = nil) -> KickCounterStep {
        KickCounterStep(
            KickCounterRules(duration: .seconds(600), count: 10),
            in: QuestionContext(panel: panel, now: PanelFixtures.now, recordingID: "r", progress: progress))
    }

    /// docs/panel.md: on three buttons both of the outer ones step.
    @Test(arguments: PanelFixtures.panels) func aStepBackIsAKickWhereItHasAButton(_ panel: Panel) {
        var step = Self.step(on: panel)
        let told = [Gesture.next, .previous, .next].map { step.handle(.gesture($0, repeats: 0)) }
        let isKick = panel.layout == .three
        #expect(told[1].contains(.say(.counted(1))) == isKick && told[1].isEmpty != isKick)
        #expect(told[2].contains(.say(.counted(isKick ? 2 : 1))))
    }

    /// One kick after twelve seconds of ten minutes: it goes on counting unless the time ran out meanwhile.
    @Test(arguments: [(587, false), (588, true), (9_000, true)]) func aRestartCountsOnOrAsksForTheReview(
        _ off: Int, _ isOver: Bool
    ) {
        let rows = [["kicks": 1.0, "last": 12, "elapsed": 12, "restarts": 0]]
        var step = Self.step(BrokenPerformance(rows: rows, off: .seconds(off)))
        let counting: [QuestionEffect] = [.say(.menuItem(1, KickCounterPhrases.counting)), .say(.value("1"))]
        let over = ["kicks": 1.0, "last": 12, "elapsed": 600, "ended": 600, "restarts": 1, "uncertain": 0]
        let review: [QuestionEffect] = [
            .progress(TaskProgress(name: "kicks", values: over)), .say(.recordingStopped), .say(.value("1")),
            .say(.value("10")),
            .say(.menuItem(1, KickCounterPhrases.review[0])),
        ]
        #expect(step.begin() == (isOver ? review : counting) && step.isUnderWay == !isOver)
    }

    /// The power goes while the device asks whether to keep the count, ended by the participant after three
    /// kicks or by the tenth: number and end stay what they were, and undo still takes the end back.
    @Test(arguments: [true, false]) func aRestartKeepsTheEndOfTheCount(_ isChosen: Bool) throws {
        var first = ActiveTaskPlayTests.Player(ActiveTaskPlayTests.kicks, on: .reference)
        first.kick(isChosen ? 4 : 11)
        if isChosen { first.end() }
        let kept = BrokenPerformance(rows: first.progress.map(\.values), off: .seconds(45))
        var second = ActiveTaskPlayTests.Player(ActiveTaskPlayTests.kicks, on: .reference, progress: kept)
        second.press(.select)
        second.press(.select)
        let record = try #require(second.performance?.record as? KickRecord)
        #expect(record.kicks.count == (isChosen ? 3 : 10) && record.end == (isChosen ? .participant : .count))
        #expect(record.measured < .seconds(isChosen ? 31 : 102), "the time off is not part of it")

        var third = ActiveTaskPlayTests.Player(ActiveTaskPlayTests.kicks, on: .reference, progress: kept)
        third.press(.undo)
        third.kick(1)
        let rows = kept.rows + third.progress.map(\.values)
        let again = try #require(KickCounter.Progress(BrokenPerformance(rows: rows, off: .zero)))
        #expect(again.kicks.count == (isChosen ? 4 : 10) && (again.ended == nil) == isChosen)
        #expect(again.kicks.last.map { $0 > .seconds(80) } == true, "the time off is part of it")
    }

    /// The step alone, ten kicks within 600 seconds, pressed at seconds of its boot.
    private struct Counting {
        private var step: KickCounterStep
        private(set) var rows: [[String: Double]] = []
        private(set) var record: KickRecord?

        init(_ broken: BrokenPerformance? = nil, at second: Double = 0) {
            step = KickCounterStep(
                KickCounterRules(duration: .seconds(600), count: 10),
                in: QuestionContext(
                    panel: .reference, now: PanelFixtures.now, recordingID: "r", time: KickCounterTests.time(second),
                    progress: broken))
            rows = broken?.rows ?? []
            take(step.begin())
        }

        private mutating func take(_ effects: [QuestionEffect]) {
            for effect in effects {
                switch effect {
                case .progress(let progress): rows.append(progress.values)
                case .answered(.performance(let performance)): record = performance.record as? KickRecord
                default: break
                }
            }
        }

        mutating func press(_ gesture: Gesture, at second: Double) {
            let time = KickCounterTests.time(second)
            for isPressed in [true, false] {
                take(step.handle(.edge(ButtonEvent(button: 0, isPressed: isPressed, time: time))))
            }
            take(step.handle(.gesture(gesture, repeats: 0)))
        }

        /// A press that begins, and kicks a second apart.
        mutating func kick(_ count: Int, from second: Double = 0) {
            for kick in 0...count { press(.next, at: second + Double(kick)) }
        }

        mutating func end(at second: Double) {
            for gesture in [Gesture.select, .next, .select] { press(gesture, at: second) }
        }

        mutating func wait(until second: Double) { take(step.handle(.tick(KickCounterTests.time(second)))) }

        mutating func leaveOut() { take(step.handle(.gaveUp)) }

        /// Another boot, `off` after the newest row.
        func restarted(after off: Duration?) -> Counting { Counting(BrokenPerformance(rows: rows, off: off)) }
    }

    private static func kicks(_ count: Int) -> [Duration] { (0..<count).map { .seconds($0 + 1) } }

    /// Answered, gone back to and counted once more, and then the power goes.
    @Test(arguments: [0, 3], [true, false]) func aCountDoneAgainHasNoKickOfTheFirst(
        _ kicks: Int, _ isEnded: Bool
    ) throws {
        var first = Counting()
        first.kick(10)
        first.press(.select, at: 12)
        #expect(first.record?.end == .count)
        var again = Counting(at: 20)
        again.kick(kicks, from: 20)
        if isEnded { again.end(at: 40) }
        var restarted = Counting(BrokenPerformance(rows: first.rows + again.rows, off: .seconds(9)))
        if !isEnded { restarted.end(at: 5) }
        restarted.press(.select, at: 6)
        let record = try #require(restarted.record)
        #expect(record.kicks == Self.kicks(kicks) && record.count == kicks && record.end == .participant)
    }

    /// Nothing takes back an end by time: taken back until then, the count goes on, from then on it is over,
    /// after a restart too.
    @Test(arguments: [599.0, 600], [true, false]) func anEndTakenBackOnceTheTimeIsOverIsThatOfTheTime(
        _ second: Double, _ isChosen: Bool
    ) throws {
        var first = Counting()
        first.kick(isChosen ? 3 : 10)
        if isChosen { first.end(at: 100) }
        first.press(.undo, at: second)
        let kept = try #require(KickCounter.Progress(BrokenPerformance(rows: first.rows, off: nil)))
        #expect(kept.kicks == Self.kicks(isChosen ? 3 : 9))
        #expect(kept.ended == (second < 600 ? nil : Duration.seconds(600)))
        var restarted = first.restarted(after: nil)
        restarted.press(.select, at: 1)
        #expect(restarted.record?.end == (second < 600 ? nil : KickRecord.End.duration))
    }

    /// However the count ended, it is over after a restart, though no clock says how long the device was off.
    @Test(arguments: ["tick", "kick", "end", "menu", "restart"]) func everyEndIsKept(_ way: String) throws {
        var first = Counting()
        first.kick(3)
        switch way {
        case "tick": first.wait(until: 600)
        case "kick": first.press(.next, at: 600)
        case "end": first.end(at: 600)
        case "menu": first.leaveOut()
        default: first = first.restarted(after: .seconds(597))
        }
        var restarted = first.restarted(after: nil)
        restarted.press(.select, at: 1)
        let measured = Duration.seconds(way == "menu" ? 3 : 600)
        #expect(
            restarted.record
                == KickRecord(
                    kicks: Self.kicks(3), measured: measured, end: way == "menu" ? .participant : .duration, count: 3,
                    duration: measured, restarts: way == "restart" ? 1 : 0))
    }

    /// What the count measured was known when the device went off in its review; the time off is part of it, and the
    /// restart too, once the end is taken back.
    @Test(arguments: [nil, Duration.seconds(50)], [true, false]) func aRestartAfterTheEndCountsOnceThatIsTakenBack(
        _ off: Duration?, _ isUndone: Bool
    ) {
        var first = Counting()
        first.kick(3)
        first.end(at: 100)
        var restarted = first.restarted(after: off)
        if isUndone {
            restarted.press(.undo, at: 1)
            restarted = restarted.restarted(after: .zero)
            restarted.end(at: 10)
        }
        restarted.press(.select, at: 11)
        let since = isUndone ? Duration.seconds(11) + (off ?? .zero) : .zero
        let measured = Duration.seconds(100) + since
        #expect(
            restarted.record
                == KickRecord(
                    kicks: Self.kicks(3), measured: measured, end: .participant, count: 3, duration: measured,
                    restarts: isUndone ? 2 : 0, isTimeUncertain: isUndone && off == nil))
    }
}
