// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc

@testable import Study

/// What a player of `SpanPlayersTests` has.
enum SpanSense: Sendable, CaseIterable { case light, sound }

/// A panel in virtual time with a span test on it, and everything that it tells, with its times.
struct SpanStage {
    let panel: Panel
    private var session: PanelSession
    private(set) var now = MonotonicTime.zero
    var told: [(at: MonotonicTime, plan: SignalPlan)] = []
    private(set) var record: SpanRecord?

    init(_ panel: Panel, _ rules: SpatialSpanRules) {
        self.panel = panel
        let step = Step(key: "span", text: "", format: .active(ActiveTask(rules)))
        let task = StudyTask(
            key: "task", index: 0, wireName: "task", name: "task", prompt: PromptText(title: "", message: ""),
            condition: nil,
            schedule: NeverDue(),
            content: Questionnaire([step]))
        session = PanelSession(panel, cards: CardIndex([task]), at: .zero)
        let chance = Chance(seed: [7]) { bytes in
            (0..<32).map { UInt8(truncatingIfNeeded: bytes.reduce($0) { $0 &* 31 &+ Int($1) }) }
        }
        let opened = OpenedTask(task, opening: 1, chance: chance)
        let local = LocalDateTime(LocalDate(year: 2026, month: 2, day: 27)!, LocalTime(hour: 9, minute: 0)!)
        send(
            .resumed(
                opened, facts: StudyFacts(), run: "run", now: local, [:]))
    }

    private struct NeverDue: Schedule {
        func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] { [] }
    }

    private mutating func send(_ event: PanelEvent) {
        for effect in session.handle(event, at: now) {
            switch effect {
            case .device(.signal(let plan)): told.append((now, plan))
            case .submitted(let run):
                if case .performance(let performance)? = run.answers["span"] {
                    self.record = performance.record as? SpanRecord
                }
            default: break
            }
        }
    }

    mutating func wait(_ duration: Duration) {
        let end = now + duration
        while let wake = session.wake, wake <= end {
            now = max(now, wake)
            send(.tick)
        }
        now = end
    }

    mutating func press(_ button: Int) {
        for isPressed in [true, false] {
            send(.button(ButtonEvent(button: button, isPressed: isPressed, time: now)))
            wait(.milliseconds(120))
        }
    }

    /// What the lights show or the buzzer sounds from `start` on, in milliseconds since then, as it
    /// would be seen and heard: a signal takes the place of the one before, and lights hang where
    /// the board file says. A light that hangs at a button is seen to be at that button. `first`:
    /// how many stimuli had been shown before.
    func stimuli(_ sense: SpanSense, since start: MonotonicTime, after first: Int) -> [SpanPerception.Stimulus] {
        let isEverywhere = !panel.leds.isEmpty && panel.leds.allSatisfy { $0.button != nil }
        var stimuli: [SpanPerception.Stimulus] = []
        for index in first..<told.count {
            let item = told[index]
            let cut = index + 1 < told.count ? told[index + 1].at : now
            var time = item.at
            for step in item.plan.steps {
                defer { time = time + step.duration }
                let end = min(time + step.duration, cut)
                let shown = panel.leds.indices.filter {
                    let own = panel.leds[$0].button
                    return step.button == nil ? own == nil || isEverywhere : own == step.button
                }
                guard time < cut, sense == .light ? step.light != nil && !shown.isEmpty : step.sounds else { continue }
                let (from, to) = (Int((time - start).seconds * 1e3), Int((end - start).seconds * 1e3))
                let next = SpanPerception.Stimulus(
                    from, to, lights: sense == .light ? shown : [],
                    // A buzzer without pitch always hums alike.
                    pitch: sense == .sound ? step.pitch : nil)
                // Nothing is seen or heard between two steps that follow at once and are alike.
                if let last = stimuli.last, last.to == next.from, last.lights == next.lights, last.pitch == next.pitch {
                    stimuli[stimuli.count - 1].to = next.to
                } else {
                    stimuli.append(next)
                }
            }
        }
        return stimuli
    }
}

/// What somebody makes of flashes or tones.
struct SpanPerception {
    /// One uninterrupted light or tone.
    struct Stimulus: Sendable {
        let from: Int
        var to: Int
        var lights: [Int] = []
        let pitch: Int?

        init(_ from: Int, _ to: Int, lights: [Int] = [], pitch: Int?) {
            (self.from, self.to, self.lights, self.pitch) = (from, to, lights, pitch)
        }
    }
    /// What is left of several: where, how high, how many.
    struct Percept {
        let lights: [Int]
        /// In semitones above 1 Hz.
        let height: Double?
        let count: Int
    }

    let sense: SpanSense
    private var known: [(button: Int, percept: Percept)] = []
    /// The longest pause within one signal of the practice, in milliseconds.
    private var pause = 0
    private var generator: SplitMix64

    init(sense: SpanSense, seed: UInt64) {
        self.sense = sense
        generator = SplitMix64(seed: seed)
    }

    /// From the beginning of one to that of the next, below which they are one.
    private var fusion: Int { sense == .light ? 150 : 90 }

    func fused(_ stimuli: [Stimulus]) -> [Stimulus] {
        var result: [Stimulus] = []
        var last = Int.min / 2
        for stimulus in stimuli {
            defer { last = stimulus.from }
            if stimulus.from - last < fusion, let before = result.last, before.lights == stimulus.lights {
                result[result.count - 1].to = stimulus.to
            } else {
                result.append(stimulus)
            }
        }
        return result
    }

    /// In the practice: what that button looks or sounds like.
    mutating func learn(_ button: Int, _ stimuli: [Stimulus]) {
        let seen = fused(stimuli)
        for (one, next) in zip(seen, seen.dropFirst()) { pause = max(pause, next.from - one.to) }
        known.append(
            (button, Percept(lights: seen[0].lights, height: seen[0].pitch.map(Self.height), count: seen.count)))
    }

    /// The buttons it is taken for. Signals are separated by a pause that is half as long again as
    /// any within one, or by another place.
    mutating func sequence(_ stimuli: [Stimulus]) -> [Int] {
        var groups: [[Stimulus]] = []
        for stimulus in fused(stimuli) {
            if let last = groups.last?.last, last.lights == stimulus.lights, stimulus.from - last.to <= pause * 3 / 2 {
                groups[groups.count - 1].append(stimulus)
            } else {
                groups.append([stimulus])
            }
        }
        return groups.map { taken($0) }
    }

    private mutating func taken(_ group: [Stimulus]) -> Int {
        var count = group.count
        if count > 4 { count += generator.below(3) - 1 }
        let heights = known.compactMap(\.percept.height)
        let range = (heights.max() ?? 0) - (heights.min() ?? 0)
        let blur = max(2.1, range / 20.3)
        // The sum of twelve even numbers is near enough to a normal one.
        let noise = (0..<12).reduce(-6.0) { sum, _ in sum + Double(generator.below(10_000)) / 10_000 } * blur
        let height = group[0].pitch.map { Self.height($0) + noise }
        func distance(_ percept: Percept) -> Double {
            let far = height.flatMap { height in percept.height.map { abs(height - $0) / blur } } ?? 0
            return (percept.lights == group[0].lights ? 0 : 100) + 5 * Double(abs(percept.count - count)) + far
        }
        return known.min { distance($0.percept) < distance($1.percept) }?.button ?? 0
    }

    private static func height(_ hertz: Int) -> Double { 12 * log2(Double(hertz)) }
}

/// Somebody at the panel who has one sense.
struct SpanPlayer {
    private var stage: SpanStage
    private var perception: SpanPerception
    private let rules: SpatialSpanRules

    init(_ panel: Panel, _ rules: SpatialSpanRules, sense: SpanSense) {
        stage = SpanStage(panel, rules)
        perception = SpanPerception(sense: sense, seed: 11)
        self.rules = rules
    }

    /// The practice, then games until it is over.
    mutating func play() throws -> SpanRecord {
        for button in stage.panel.buttons.indices {
            stage.wait(.seconds(3))
            let (start, first) = (stage.now, stage.told.count)
            stage.press(button)
            stage.wait(rules.period + .seconds(1))
            let seen = stage.stimuli(perception.sense, since: start, after: first)
            // What comes after a longer pause is another signal: all have been tried.
            let end = zip(seen, seen.dropFirst()).first { $1.from - $0.to > 400 }?.0.to
            let own = seen.filter { $0.to <= end ?? .max }
            // A trill says that it is no target.
            if (1...4).contains(own.count) { perception.learn(button, own) }
            if end != nil { break }
        }
        for _ in 0..<200 where stage.record == nil { game() }
        guard let record = stage.record else { throw Unfinished() }
        return record
    }

    /// The card sheet says: “watch” is three signs, “your turn” is four. Who mistook a target for
    /// one that was given already waits until the time to answer is over.
    private mutating func game() {
        stage.wait(.seconds(25))
        let (start, first) = (stage.now, stage.told.count)
        stage.press(0)
        var seen: [SpanPerception.Stimulus] = []
        // Quiet for long: it is my turn.
        repeat {
            stage.wait(.milliseconds(200))
            seen = stage.stimuli(perception.sense, since: start, after: first)
        } while (stage.now - start).seconds * 1e3 - Double(seen.last?.to ?? 0) < rules.period.seconds * 1.6e3
        let taken = perception.sequence(Array(seen.dropFirst(3).dropLast(4)))
        for button in rules.requiresReversal ? taken.reversed() : taken {
            stage.press(button)
            stage.wait(.milliseconds(400))
        }
    }

    struct Unfinished: Error {}
}
