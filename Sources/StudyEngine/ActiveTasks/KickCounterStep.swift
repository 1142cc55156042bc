// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Times

/// The kick counter on the buttons.
///
/// ```
///            any press                count, time over, or select
///  waiting ────────────▶ counting ───────────────────────────────▶ review: ring of  keep, count, time
///     │ undo              │ next (of three also previous): a kick           │ keep ──▶ answered
///     ▼ back              │ undo: what has been counted                     │ count, time ──▶ correcting
///                         └ 30 min without a press: reminder                └──────── select ────┘
/// ```
/// A kick has the time of its press, however long the button was held. Left out by the menu while it counts, it ends there.
public struct KickCounterStep: QuestionMachine {
    private enum State: Sendable, Hashable {
        case waiting, counting
        case review(Ring)
        case correcting(time: Bool)
    }

    /// What is said of it besides what every step says.
    static let words = ["Counting", "Keep this", "Correct the number", "Correct the minutes"]
    /// Without a press, after which the count is told.
    static let reminderPeriod: Duration = .seconds(1_800)

    private let layout: Panel.Layout
    private var counter: KickCounter
    private var state: State
    private var pressed: MonotonicTime
    private var reminder: MonotonicTime
    private var count = 0
    private var minutes = 0

    /// A counter that waits, or goes on from the context's progress.
    public init(_ rules: KickCounterRules, in context: QuestionContext) {
        layout = context.panel.layout
        (pressed, reminder) = (context.time, context.time + Self.reminderPeriod)
        if let progress = context.progress {
            counter = KickCounter(rules, from: progress, at: context.time)
            state = .counting
        } else {
            counter = KickCounter(rules)
            state = .waiting
        }
    }

    /// Says that it goes on where it does.
    public mutating func begin() -> [QuestionEffect] {
        guard state == .counting else { return [] }
        return counter.ended == nil ? [.tell(.menuItem(1, text: Self.words[0])), .tell(.value(told))] : review()
    }

    /// The arrows of the diagram. Holding a button counts once.
    public mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        switch event {
        case .edge(let edge) where edge.isPressed:
            pressed = edge.time
            return []
        case .tick(let now): return tick(at: now)
        case .gaveUp where counter.isCounting:
            counter.finish(at: pressed)
            return review() + keep()
        case .gaveUp where counter.ended != nil: return keep()
        case .resumed: return tellAgain()
        case .gesture(let gesture, let repeats): return take(gesture, repeats)
        default: return []
        }
    }

    /// The end of the counting time or the next reminder, whichever is first, on the clock of the presses; nil unless
    /// it counts.
    public var wake: MonotonicTime? {
        guard counter.isCounting else { return nil }
        return counter.end.map { min($0, reminder) }
    }
    /// While it counts: half an hour without a kick is nothing unusual.
    public var isUnderWay: Bool { counter.isCounting }

    /// It cannot be answered but by performing; left out by `undo` no longer once it counts.
    public func press(towards wanted: Wanted) -> Press? {
        guard case .review(let ring) = state else { return nil }
        return ring.press(to: 0, layout: layout)
    }

    private mutating func take(_ gesture: Gesture, _ repeats: Int) -> [QuestionEffect] {
        switch (state, gesture) {
        case (.correcting(let time), .next), (.correcting(let time), .previous):
            return correct(time, by: gesture == .next ? 1 : -1)
        case (_, _) where repeats > 0: return []
        case (.waiting, .undo): return [.back]
        case (.waiting, .next), (.waiting, .previous), (.waiting, .select): return start()
        case (.counting, .next): return kick()
        case (.counting, .previous) where layout == .three: return kick()
        case (.counting, .select):
            counter.finish(at: pressed)
            return review()
        case (.counting, .undo): return [.tell(.value(told))]
        case (.review(let ring), _): return take(gesture, in: ring)
        case (.correcting(let time), .undo): return correct(time, by: -1)
        case (.correcting, .select): return review()
        default: return []
        }
    }

    private mutating func start() -> [QuestionEffect] {
        _ = counter.press(at: pressed)
        state = .counting
        reminder = pressed + Self.reminderPeriod
        return [.tell(.recordingStarted), .tell(.menuItem(1, text: Self.words[0]))] + kept()
    }

    private mutating func kick() -> [QuestionEffect] {
        guard counter.press(at: pressed) else { return counter.ended == nil ? [] : review() }
        reminder = pressed + Self.reminderPeriod
        let told: [QuestionEffect] = [.tell(.counted(counter.kicks.count))]
        return told + (counter.ended == nil ? kept() : review())
    }

    private mutating func tick(at now: MonotonicTime) -> [QuestionEffect] {
        if counter.tick(at: now) { return [.tell(.expired)] + review() }
        guard counter.isCounting, reminder <= now else { return [] }
        reminder = now + Self.reminderPeriod
        return [.tell(.reminder), .tell(.value(told))]
    }

    private func kept() -> [QuestionEffect] {
        counter.progress(at: pressed).map { [.progress($0)] } ?? []
    }
}

extension KickCounterStep {
    /// `12` kicks; said with its minutes where it is spoken.
    private var told: String { String(counter.kicks.count) }

    private mutating func tellAgain() -> [QuestionEffect] {
        switch state {
        case .counting: [.tell(.menuItem(1, text: Self.words[0])), .tell(.value(told))]
        case .review, .correcting: review()
        case .waiting: []
        }
    }

    /// The first time with what was counted, later with what was corrected.
    private mutating func review() -> [QuestionEffect] {
        if state == .counting {
            count = counter.kicks.count
            minutes = Int((counter.elapsed(at: pressed).seconds / 60).rounded())
        }
        state = .review(Ring(count: 3))
        return [
            .tell(.recordingStopped), .tell(.value(String(count))), .tell(.value(String(minutes))),
            .tell(.menuItem(1, text: Self.words[1])),
        ]
    }

    private mutating func take(_ gesture: Gesture, in ring: Ring) -> [QuestionEffect] {
        var ring = ring
        if ring.move(gesture) {
            state = .review(ring)
            return [.tell(.menuItem(ring.index + 1, text: Self.words[ring.index + 1]))]
        }
        guard gesture == .select else { return [] }
        if ring.index == 0 { return keep() }
        state = .correcting(time: ring.index == 2)
        return [.tell(.position(String(ring.index == 2 ? minutes : count)))]
    }

    /// With one button `next` goes round, because there is no way back.
    private mutating func correct(_ time: Bool, by step: Int) -> [QuestionEffect] {
        let most = time ? Int((counter.rules.duration.seconds / 60).rounded(.up)) : counter.rules.count
        let next = (time ? minutes : count) + step
        let value = layout == .one && next > most ? 0 : min(max(next, 0), most)
        if time { minutes = value } else { count = value }
        return [.tell(.position(String(value)))]
    }

    private func keep() -> [QuestionEffect] {
        let measured = counter.elapsed(at: pressed)
        let isCorrected = minutes != Int((measured.seconds / 60).rounded())
        let duration = isCorrected ? .seconds(minutes * 60) : Duration.seconds(Int64(measured.seconds.rounded()))
        guard let record = counter.record(count: count, duration: min(duration, counter.rules.duration)) else {
            return []
        }
        return [.answered(.performance(.kicks(record)))]
    }

    /// Perfect counts every kick in even steps to the last; fail ends at once; random kicks and ends by chance.
    public func move(_ strategy: PerformanceStrategy, using generator: inout SplitMix64) -> PerformanceMove? {
        switch state {
        case .waiting: return PerformanceMove(.gesture(Press(.next)), after: .seconds(2))
        case .counting: return kickMove(strategy, &generator)
        case .review(let ring): return PerformanceMove(.gesture(ring.press(to: 0, layout: layout)))
        case .correcting: return PerformanceMove(.gesture(Press(.select)))
        }
    }

    private func kickMove(
        _ strategy: PerformanceStrategy, _ generator: inout SplitMix64
    ) -> PerformanceMove? {
        let even = counter.rules.duration / (counter.rules.count + 2)
        switch strategy {
        case .fail: return PerformanceMove(.gesture(Press(.select)), after: .seconds(5))
        case .random where generator.below(10) == 0: return PerformanceMove(.gesture(Press(.select)), after: even)
        case .random: return PerformanceMove(.gesture(Press(.next)), after: even * (generator.below(3) + 1))
        default: return PerformanceMove(.gesture(Press(.next)), after: max(even, .milliseconds(300)))
        }
    }
}
