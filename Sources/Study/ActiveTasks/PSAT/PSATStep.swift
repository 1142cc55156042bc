// SPDX-License-Identifier: Apache-2.0
import Base

/// The paced serial addition test on the panel: digits are said, and the participant enters the sum of the last
/// two digits with two buttons. `ActiveTaskKind` asks its rules for it, and `TaskRun` drives it.
///
/// ```
///          any button                all digits said
///  ready ────────────▶ adding(digit) ───────────────▶ answered
///    ▲                    │ menu: it begins again, with other digits
///    └────────────────────┘
/// ```
/// One button adds ten to the sum, the other one adds one; each digit begins at zero. The sum when
/// the next digit is due is the answer, as the number that was touched last is in
/// `ORKPSATStepViewController`; a press made before that may be delivered a little later. Nothing is
/// said meanwhile but the digits.
struct PSATStep: QuestionMachine {
    enum State: Sendable, Equatable {
        case ready
        /// The digit at that index was said at `since`, when it was due.
        case adding(Int, since: MonotonicTime)
        case over
    }

    private let rules: PSATRules
    private let layout: Panel.Layout
    /// The numbers of the buttons that add ten and one; -1 on a panel of one button, which is refused.
    private let tens: Int
    private let ones: Int
    private var generator: SplitMix64
    private var state = State.ready
    /// One more than `seriesLength`: the first digit has no sum.
    private var digits: [Int] = []
    private var samples: [PSATRecord.Sample] = []
    /// The sum entered since the last digit; nil = nothing was pressed.
    private var answer: Int?
    /// When `answer` was last changed.
    private var pressed = MonotonicTime.zero
    private var restarts = 0

    init(_ rules: PSATRules, in context: QuestionContext) {
        self.rules = rules
        generator = context.generator
        layout = context.panel.layout
        (tens, ones) = context.panel.tapButtons.map { ($0.left, $0.right) } ?? (-1, -1)
    }

    mutating func begin() -> [QuestionEffect] { [.say(.menuItem(1, GamePhrases.pressToBegin))] }

    mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        switch event {
        case .edge(let edge): edge.isPressed ? press(edge) : []
        case .tick(let now): tick(at: now)
        case .interrupted: interrupted()
        case .resumed: state == .ready ? begin() : []
        default: []
        }
    }

    var wake: MonotonicTime? {
        guard case .adding(let index, let since) = state else { return nil }
        return since + rules.interStimulusInterval + (index < rules.seriesLength ? .zero : TimedStimulus.delivery)
    }

    var isUnderWay: Bool { if case .adding = state { true } else { false } }
    var takesPresses: Bool { state != .over }
    func press(towards wanted: Wanted) -> Press? { nil }

    private mutating func press(_ edge: ButtonEvent) -> [QuestionEffect] {
        switch state {
        case .ready:
            draw()
            return say(0, at: edge.time)
        case .adding(let index, let since) where [tens, ones].contains(edge.button):
            // The first digit has no sum yet, and after the last digit's interval a press comes too late.
            if edge.time < since {
                amend(edge, before: since)
            } else if index > 0, index < rules.seriesLength || edge.time < since + rules.interStimulusInterval {
                add(edge)
            }
            return []
        default: return []
        }
    }

    private mutating func add(_ edge: ButtonEvent) {
        answer = min((answer ?? 0) + (edge.button == tens ? 10 : 1), 99)
        pressed = edge.time
    }

    /// Adds a press to the sample that was recorded last: the press was made before the present digit was said
    /// (at `before`), and delivered after it. The sample is recorded again; a still older press is dropped.
    private mutating func amend(_ edge: ButtonEvent, before: MonotonicTime) {
        let since = before - rules.interStimulusInterval
        guard let last = samples.popLast() else { return }
        guard edge.time >= since else { return samples.append(last) }
        let present = (answer, pressed)
        answer = last.answer < 0 ? nil : last.answer
        add(edge)
        keep(samples.count + 1, since)
        (answer, pressed) = present
    }

    private mutating func tick(at now: MonotonicTime) -> [QuestionEffect] {
        guard case .adding(let index, let since) = state, let wake, wake <= now else { return [] }
        if index > 0 { keep(index, since) }
        return index < rules.seriesLength ? say(index + 1, at: wake) : finish()
    }

    private mutating func say(_ index: Int, at time: MonotonicTime) -> [QuestionEffect] {
        state = .adding(index, since: time)
        answer = nil
        return [.device(.stopPlaying), .say(.position(String(digits[index])))]
    }

    /// Records the sum for the digit of that index, which was said at `since`.
    private mutating func keep(_ index: Int, _ since: MonotonicTime) {
        samples.append(
            .init(
                digit: digits[index], answer: answer ?? -1, correct: answer == digits[index - 1] + digits[index],
                time: answer == nil ? rules.interStimulusInterval : pressed - since))
    }

    private mutating func finish() -> [QuestionEffect] {
        state = .over
        let record = PSATRecord(
            interStimulusInterval: rules.interStimulusInterval, length: rules.seriesLength,
            initialDigit: digits.first ?? 0, samples: samples, restarts: restarts)
        return [.device(.stopPlaying), .say(.recordingStopped), .performed(record)]
    }

    /// From 1 to 9, none twice in a row.
    private mutating func draw() {
        (digits, samples) = ([], [])
        while digits.count <= rules.seriesLength {
            let digit = generator.below(9) + 1
            if digit != digits.last { digits.append(digit) }
        }
    }

    private mutating func interrupted() -> [QuestionEffect] {
        if case .adding = state { (state, restarts) = (.ready, restarts + 1) }
        return []
    }
}

extension PSATStep {
    /// The next press of a scripted participant: perfect enters each sum; fail never answers; random presses
    /// anything.
    func move(_ strategy: PerformanceStrategy, using generator: inout SplitMix64) -> PerformanceMove? {
        switch state {
        case .ready: return PerformanceMove(.button(ones), after: .seconds(1))
        case .adding(let index, _) where index > 0 && strategy != .fail:
            if strategy == .random {
                return PerformanceMove(
                    .button(generator.below(4) == 0 ? tens : ones), after: .milliseconds(200 + generator.below(400)))
            }
            let left = digits[index - 1] + digits[index] - (answer ?? 0)
            return left > 0 ? PerformanceMove(.button(left >= 10 ? tens : ones), after: .milliseconds(20)) : nil
        default: return nil
        }
    }

    /// The sum so far, before the next digit.
    func drawing(in words: Words) -> [String] {
        guard case .adding(let index, _) = state, index > 0 else { return [] }
        return [answer.map(String.init) ?? "–"]
    }

    func meaning(of gesture: Gesture) -> PanelMeaning? {
        switch (state, gesture) {
        case (.ready, .next), (.ready, .previous), (.ready, .select): .phrase(MeaningPhrases.start)
        case (.adding, layout == .two ? .next : .previous): .phrase(PSATPhrases.ten)
        case (.adding, layout == .two ? .select : .next): .phrase(PSATPhrases.one)
        default: nil
        }
    }
}
