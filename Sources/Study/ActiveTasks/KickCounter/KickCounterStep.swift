// SPDX-License-Identifier: Apache-2.0
import Base

/// The kick counter on the buttons: `ActiveTaskKind` asks its rules for it, and `TaskRun` drives it.
///
/// ```
///            any press              count, time over
///  waiting ────────────▶ counting ────────────────────▶ review: ring of  keep, count, time
///     │ undo             │ ▲  ▲ ▲                       ▲  │ │ │ keep ──▶ answered
///     ▼ back             │ │  │ └───────────────────────┼──┘ └─┼ count, time ──▶ correcting ── select ─┐
///                        │ │  │ undo: takes the end back │      └─────────────────────────────────────┘
///                 select ▼ │ go on, undo, 15 s           │ end
///                       ending ──────────────────────────┘
/// ```
/// While it counts `next`, of three buttons also `previous`, is a kick, and `undo` tells what has
/// been counted; after 30 minutes without a press comes the reminder. In the review `undo` takes
/// back a correction first, then the end. Kicks come in bursts: after a count that ended by itself
/// the review takes no press for a while.
///
/// No single press ends the counting: the apps of FDA MyStudies show nothing to end it with before
/// the count or the time is reached. A participant who wants to end it is asked, and "go on
/// counting" comes first. A kick has the time of its press, however long the button was held. When the
/// menu leaves the question out while it counts, the counting ends at the last press. Source: the iOS app's
/// FetalKickCounterStepViewController, which hides the submit button until then, and Android's
/// Tappingactivity, where the answer is invalid until then.
package struct KickCounterStep: QuestionMachine {
    private enum State: Sendable, Hashable {
        case waiting, counting
        /// The press at `asked` wanted to end the counting; the ring offers `Self.ending`.
        case ending(Ring, asked: MonotonicTime)
        /// The ring offers: keep, correct the count, correct the time.
        case review(Ring)
        /// `from` is the figure before the correction, which `undo` restores.
        case correcting(Figure, from: Int)
    }
    private enum Figure: Sendable, Hashable { case count, minutes }

    /// The choices when a participant wants to end it.
    private static let ending = [KickCounterPhrases.goOn, KickCounterPhrases.end]
    /// After this long without a press the count is said.
    private static let reminderPeriod: Duration = .seconds(1_800)
    /// After this long without a press "end it?" is withdrawn, and the counting goes on.
    private static let endingPatience: Duration = .seconds(15)
    /// From a kick or the time that ends the count to the first press that the review takes.
    private static let reviewGuard: Duration = .seconds(2)

    private let layout: Panel.Layout
    private var counter: KickCounter
    private var state: State
    /// When the last press began. Edges come before the gesture they make, so a gesture counts at this time.
    private var pressed: MonotonicTime
    /// The time of the last edge, press or release; the progress that is kept counts up to it.
    private var latest: MonotonicTime
    /// A press that began before means nothing in the review.
    private var reviewOpens: MonotonicTime
    /// When the count is said next, unless a press comes before.
    private var reminder: MonotonicTime
    /// What the review shows and `answer` sends: at first as counted, then as the participant corrects it.
    private var reviewed: [Figure: Int] = [:]

    /// A counter that waits, or goes on from the context's progress.
    package init(_ rules: KickCounterRules, in context: QuestionContext) {
        layout = context.panel.layout
        (pressed, latest, reviewOpens) = (context.time, context.time, context.time)
        reminder = context.time + Self.reminderPeriod
        if let broken = context.progress, let progress = KickCounter.Progress(broken) {
            counter = KickCounter(rules, from: progress, off: broken.off, at: context.time)
            state = .counting
        } else {
            counter = KickCounter(rules)
            state = .waiting
        }
    }

    /// After a restart: says that counting goes on, and the count so far.
    package mutating func begin() -> [QuestionEffect] {
        guard state == .counting else { return [] }
        if counter.tick(at: latest) { return progressEffect() + beginReview() }
        return counter.ended == nil
            ? [.say(.menuItem(1, KickCounterPhrases.counting)), .say(.value(countText))] : beginReview()
    }

    package mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        switch event {
        case .edge(let edge):
            if edge.isPressed { pressed = edge.time }
            latest = edge.time
            return []
        case .tick(let now): return tick(at: now)
        case .gaveUp where counter.isCounting:
            counter.finish(at: pressed)
            return progressEffect() + beginReview() + answer()
        case .gaveUp where counter.ended != nil: return answer()
        case .resumed: return repeatCue()
        case .gesture where pressed < reviewOpens: return []
        case .gesture(let gesture, let repeats): return choose(gesture, repeats)
        default: return []
        }
    }

    /// The end of the counting time, the next reminder or the end of the patience with an answer,
    /// whichever is first, on the clock of the presses; nil unless it counts.
    package var wake: MonotonicTime? {
        guard counter.isCounting else { return nil }
        let next = counter.end.map { min($0, reminder) }
        guard case .ending = state else { return next }
        return next.map { min($0, pressed + Self.endingPatience) }
    }
    /// While it counts: half an hour without a kick is nothing unusual.
    package var isUnderWay: Bool { counter.isCounting }

    /// A scripted participant counts by `move`; here it keeps what the review shows.
    package func press(towards wanted: Wanted) -> Press? {
        guard case .review(let ring) = state else { return nil }
        return ring.press(to: 0, layout: layout)
    }

    private mutating func choose(_ gesture: Gesture, _ repeats: Int) -> [QuestionEffect] {
        switch (state, gesture) {
        case (.correcting(let figure, _), .next), (.correcting(let figure, _), .previous):
            return correct(figure, by: gesture == .next ? 1 : -1)
        case (_, _) where repeats > 0: return []
        case (.waiting, .undo): return [.back]
        case (.waiting, .next), (.waiting, .previous), (.waiting, .select): return start()
        case (.counting, .next): return kick()
        case (.counting, .previous) where layout == .three: return kick()
        case (.counting, .select): return ask()
        case (.counting, .undo): return [.say(.value(countText))]
        case (.ending(let ring, let asked), _): return chooseEnding(gesture, ring, asked)
        case (.review(let ring), _): return chooseReview(gesture, ring)
        // With one button there is no other way back.
        case (.correcting(let figure, _), .undo) where layout == .one: return correct(figure, by: -1)
        case (.correcting(let figure, let value), .undo):
            reviewed[figure] = value
            return [.say(.undone)] + showReview()
        case (.correcting, .select): return showReview()
        default: return []
        }
    }

    private mutating func start() -> [QuestionEffect] {
        // The first press begins the counting; it is never a kick.
        _ = counter.press(at: pressed)
        state = .counting
        reminder = pressed + Self.reminderPeriod
        return [.say(.recordingStarted), .say(.menuItem(1, KickCounterPhrases.counting))] + progressEffect()
    }

    private mutating func kick() -> [QuestionEffect] {
        guard counter.press(at: pressed) else { return progressEffect() + openReview(after: latest) }
        reminder = pressed + Self.reminderPeriod
        let spoken: [QuestionEffect] = [.say(.counted(counter.kicks.count))]
        return spoken + progressEffect() + (counter.ended == nil ? [] : openReview(after: latest))
    }

    private mutating func tick(at now: MonotonicTime) -> [QuestionEffect] {
        if counter.tick(at: now) {
            return [.say(.expired)] + progressEffect() + openReview(after: now)
        }
        guard counter.isCounting else { return [] }
        if case .ending = state, pressed + Self.endingPatience <= now { return goOn() }
        guard reminder <= now else { return [] }
        reminder = now + Self.reminderPeriod
        return [.say(.reminder), .say(.value(countText))]
    }

    private func progressEffect() -> [QuestionEffect] {
        counter.progress(at: latest).map { [.progress($0.row)] } ?? []
    }
}

extension KickCounterStep {
    private mutating func ask() -> [QuestionEffect] {
        state = .ending(Ring(count: 2), asked: pressed)
        return [.say(.say(KickCounterPhrases.endTheCount)), .say(.menuItem(1, Self.ending[0]))]
    }

    private mutating func chooseEnding(_ gesture: Gesture, _ ring: Ring, _ asked: MonotonicTime) -> [QuestionEffect] {
        var ring = ring
        if ring.move(gesture) {
            state = .ending(ring, asked: asked)
            return [.say(.menuItem(ring.index + 1, Self.ending[ring.index]))]
        }
        guard gesture == .select, ring.index == 1 else { return gesture == .select || gesture == .undo ? goOn() : [] }
        // At the press that asked to end, not at the one that confirmed it.
        counter.finish(at: asked)
        return progressEffect() + beginReview()
    }

    private mutating func goOn() -> [QuestionEffect] {
        state = .counting
        return [.say(.menuItem(1, KickCounterPhrases.counting)), .say(.value(countText))]
    }

    /// Takes back what was last done: a correction, else the end.
    private mutating func undo() -> [QuestionEffect] {
        if reviewed != counted { return [.say(.undone)] + beginReview() }
        guard counter.reopen() else { return [.say(.refused)] }
        if counter.tick(at: pressed) { return [.say(.expired)] + progressEffect() + beginReview() }
        reminder = pressed + Self.reminderPeriod
        return [.say(.undone)] + goOn() + progressEffect()
    }

    private var measuredMinutes: Int { Int((counter.elapsed(at: pressed).seconds / 60).rounded()) }

    private var counted: [Figure: Int] { [.count: counter.kicks.count, .minutes: measuredMinutes] }

    private var countText: String { String(counter.kicks.count) }

    private mutating func repeatCue() -> [QuestionEffect] {
        switch state {
        case .counting, .ending: goOn()
        case .review, .correcting: showReview()
        case .waiting: []
        }
    }

    /// The review after a count that ended by itself at `end`, maybe amid presses.
    private mutating func openReview(after end: MonotonicTime) -> [QuestionEffect] {
        reviewOpens = end + Self.reviewGuard
        return beginReview()
    }

    /// The review, with what was counted.
    private mutating func beginReview() -> [QuestionEffect] {
        reviewed = counted
        return showReview()
    }

    /// The review, with what was corrected so far.
    private mutating func showReview() -> [QuestionEffect] {
        state = .review(Ring(count: 3))
        return [
            .say(.recordingStopped), .say(.value(String(value(of: .count)))),
            .say(.value(String(value(of: .minutes)))), .say(.menuItem(1, KickCounterPhrases.review[0])),
        ]
    }

    private mutating func chooseReview(_ gesture: Gesture, _ ring: Ring) -> [QuestionEffect] {
        var ring = ring
        if ring.move(gesture) {
            state = .review(ring)
            return [.say(.menuItem(ring.index + 1, KickCounterPhrases.review[ring.index]))]
        }
        if gesture == .undo { return undo() }
        guard gesture == .select else { return [] }
        if ring.index == 0 { return answer() }
        let figure: Figure = ring.index == 2 ? .minutes : .count
        state = .correcting(figure, from: value(of: figure))
        return [.say(.position(String(value(of: figure))))]
    }

    /// With one button `next` goes round, because there is no way back.
    private mutating func correct(_ figure: Figure, by step: Int) -> [QuestionEffect] {
        let (limit, next) = (most(of: figure), value(of: figure) + step)
        let corrected = layout == .one && next > limit ? 0 : min(max(next, 0), limit)
        reviewed[figure] = corrected
        return [.say(.position(String(corrected)))]
    }

    private func most(of figure: Figure) -> Int {
        switch figure {
        case .count: counter.rules.count
        case .minutes: Int((counter.rules.duration.seconds / 60).rounded(.up))
        }
    }

    private func value(of figure: Figure) -> Int { reviewed[figure] ?? 0 }

    private func answer() -> [QuestionEffect] {
        let measured = counter.elapsed(at: pressed)
        let (count, minutes) = (value(of: .count), value(of: .minutes))
        // The apps' timers count whole seconds that have passed.
        let duration =
            minutes == measuredMinutes ? Duration.seconds(measured.components.seconds) : .seconds(minutes * 60)
        let record = counter.record(count: count, duration: min(duration, counter.rules.duration))
        return record.map { [.performed($0)] } ?? []
    }

    /// The next press of a scripted participant: perfect counts every kick in even steps to the last; fail
    /// asks to end after five seconds, and confirms it; random kicks and ends by chance.
    package func move(_ strategy: PerformanceStrategy, using generator: inout SplitMix64) -> PerformanceMove? {
        switch state {
        case .waiting: return PerformanceMove(.gesture(Press(.next)), after: .seconds(2))
        case .counting: return kickMove(strategy, &generator)
        case .ending(let ring, _):
            return PerformanceMove(.gesture(ring.press(to: strategy == .perfect ? 0 : 1, layout: layout)))
        case .review(let ring):
            return PerformanceMove(.gesture(ring.press(to: 0, layout: layout)), after: Self.reviewGuard)
        case .correcting: return PerformanceMove(.gesture(Press(.select)))
        }
    }

    private func kickMove(_ strategy: PerformanceStrategy, _ generator: inout SplitMix64) -> PerformanceMove? {
        let even = counter.rules.duration / (counter.rules.count + 2)
        switch strategy {
        case .fail: return PerformanceMove(.gesture(Press(.select)), after: .seconds(5))
        case .random where generator.below(10) == 0: return PerformanceMove(.gesture(Press(.select)), after: even)
        case .random: return PerformanceMove(.gesture(Press(.next)), after: even * (generator.below(3) + 1))
        default: return PerformanceMove(.gesture(Press(.next)), after: max(even, .milliseconds(300)))
        }
    }

    /// `3 of 10 kicks`; in the review what will be sent.
    package func drawing(in words: Words) -> [String] {
        switch state {
        case .waiting: []
        case .counting, .ending:
            [words(KickCounterPhrases.soFar, String(counter.kicks.count), String(counter.rules.count))]
        case .review, .correcting:
            [words(KickCounterPhrases.reviewed, value(of: .count), String(value(of: .minutes)))]
        }
    }

    package func meaning(of gesture: Gesture) -> PanelMeaning? {
        switch (state, gesture) {
        case (.waiting, .next), (.waiting, .previous), (.waiting, .select): .phrase(MeaningPhrases.start)
        case (.counting, .next): .phrase(KickCounterPhrases.kick)
        case (.counting, .previous) where layout == .three: .phrase(KickCounterPhrases.kick)
        case (.counting, .select): .phrase(KickCounterPhrases.endTheCount)
        case (.counting, .undo): .phrase(KickCounterPhrases.howMany)
        case (.ending, .undo): .phrase(KickCounterPhrases.goOn)
        case (.correcting, .next): .phrase(MeaningPhrases.more)
        case (.correcting, .previous): .phrase(MeaningPhrases.less)
        case (.ending, .next), (.review, .next): .phrase(MeaningPhrases.next)
        case (.ending, .previous), (.review, .previous): .phrase(MeaningPhrases.previous)
        case (.ending, .select), (.review, .select), (.correcting, .select): .phrase(MeaningPhrases.choose)
        default: nil
        }
    }
}
