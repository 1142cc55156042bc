// SPDX-License-Identifier: Apache-2.0
import Base

/// A day, a time, or both, field by field, beginning with now or with what the study proposes. `DateTimeKind`
/// makes it, and `TaskRun` drives it.
///
/// ```
///  untouched ── next, previous ──▶ field 1 ── select ──▶ field 2 … field n ── select ──▶ reading back ── select ──▶ answered
///   │ select                        ⟲ next, previous: its values in a circle               │ next, previous, undo
///   ▼                                                                                      ▼
///  left out                        undo: to the field before; field 1: untouched         field 1
///
///  untouched, undo: back
/// ```
/// Fields: decade, year's last digit, month, day's tens, day's ones; hour, minute's tens, minute's
/// ones. A field offers only what leads to a day that exists and to a moment within the limits; one
/// with a single such value is passed over. With a time alone the day stays that of now, the moment of the
/// press that begins the entry; with a day alone the time stays that of the asking.
package struct DateTimeQuestion: QuestionMachine {
    private enum State: Sendable, Hashable {
        case untouched
        /// An index into `fields`, as every `place`.
        case field(Int)
        case readingBack
    }

    private let format: DateTimeFormat
    private let limits: DateLimits
    /// When it was asked, by the participant's wall clock and by CLOCK_MONOTONIC.
    private let asked: (local: LocalDateTime, time: MonotonicTime)
    /// The moment of the press that began the entry, by the wall clock; before it, that of the asking.
    private var now: LocalDateTime
    /// The first and last moment that may be answered. Nil for a time alone, which has no limits; else nil =
    /// the limits leave nothing, and nothing may be answered.
    private var range: ClosedRange<LocalDateTime>?
    private let layout: Panel.Layout
    /// The fields that are asked, in order.
    private let fields: [DateTimeField]
    /// What the entry begins with.
    private var proposal: DateTimeFields
    private var values: DateTimeFields
    private var state = State.untouched

    /// Begins with what `limits` propose, else with now. It is asked at `time`, when the wall clock shows `now`.
    package init(
        _ format: DateTimeFormat, limits: DateLimits = DateLimits(), now: LocalDateTime, time: MonotonicTime = .zero,
        layout: Panel.Layout
    ) {
        (self.format, self.limits, self.layout) = (format, limits, layout)
        asked = (now, time)
        self.now = now
        (proposal, values) = (DateTimeFields(now), DateTimeFields(now))
        let day: [DateTimeField] = [.decade, .year, .month, .dayTens, .dayOnes]
        let clock: [DateTimeField] = [.hour, .minuteTens, .minuteOnes]
        fields = format == .date ? day : format == .time ? clock : day + clock
        start(at: now)
    }

    /// Sets `range` and `proposal` for an entry that begins at `moment`. The range reaches from the earliest to the
    /// latest moment that the limits allowed when the question was asked, or allow at `moment`.
    private mutating func start(at moment: LocalDateTime) {
        now = moment
        if format != .time {
            let ranges = [asked.local, moment].compactMap { limits.range(format, at: $0) }
            let (low, high) = (ranges.map(\.lowerBound).min(), ranges.map(\.upperBound).max())
            if let low, let high { range = low...high }
        }
        let proposed = limits.initial ?? moment
        proposal = DateTimeFields(range.map { min(max(proposed, $0.lowerBound), $0.upperBound) } ?? proposed)
        values = proposal
    }

    /// The arrows of the diagram; holding next or previous runs through a field's values, other
    /// holds count once.
    package mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        if case .edge(let edge) = event, edge.isPressed, state == .untouched {
            start(at: asked.local.adding(max(.zero, edge.time - asked.time)))
        }
        guard case .gesture(let gesture, let repeats) = event else { return [] }
        switch (state, gesture, repeats) {
        case (.field(let place), .next, _), (.field(let place), .previous, _): return move(place, gesture)
        case (.untouched, .next, 0), (.untouched, .previous, 0): return forward(to: 0)
        case (.untouched, .select, 0): return [.leftOut]
        case (.untouched, .undo, 0): return [.back]
        case (.field(let place), .select, 0): return [.say(.accepted)] + forward(to: place + 1)
        case (.field(let place), .undo, 0): return [.say(.undone)] + backward(to: place - 1)
        case (.readingBack, .select, 0): return entered.map { [.answered(.dateTime($0))] } ?? []
        case (.readingBack, .next, 0), (.readingBack, .previous, 0), (.readingBack, .undo, 0):
            return [.say(.undone)] + again()
        default: return []
        }
    }

    /// Field by field, then select what was read back; nil where the buttons do not
    /// lead to the value.
    package func press(towards wanted: Wanted) -> Press? {
        switch (wanted, state) {
        case (.leaveOut, .untouched): return Press(.select)
        case (.leaveOut, _): return Press(.undo)
        case (.answer(.dateTime(let target)), _) where !isAllowed(target): return nil
        case (.answer(.dateTime), .untouched): return Press(.next)
        case (.answer(.dateTime(let target)), .readingBack): return Press(matches(target) ? .select : .undo)
        case (.answer(.dateTime(let target)), .field(let place)):
            guard let index = choices(place).firstIndex(of: DateTimeFields(target)[fields[place]]) else {
                return Press(.undo)
            }
            return ring(place).press(to: index, layout: layout)
        default: return nil
        }
    }

    private func isAllowed(_ target: LocalDateTime) -> Bool {
        if format == .time { return true }
        return range.map { range in
            format == .date
                ? range.lowerBound.date...range.upperBound.date ~= target.date
                : range.lowerBound <= target && target < range.upperBound.adding(minutes: 1)
        } ?? false
    }

    private func matches(_ target: LocalDateTime) -> Bool {
        let wanted = DateTimeFields(target)
        return fields.allSatisfy { values[$0] == wanted[$0] }
    }

    /// The value of the part that next and previous change, or all of what is read back.
    package var currentPlace: Cue? {
        switch state {
        case .untouched: nil
        case .field(let place): cue(place)
        case .readingBack: entered.map { .value(format.text($0)) }
        }
    }

    // MARK: - What a field offers

    /// The values that the field at that place offers, with the fields before as they are.
    private func choices(_ place: Int) -> [Int] {
        let field = fields[place]
        let all = Self.all(field, range)
        guard format != .time else { return all }
        return all.filter { isReachable(field, $0) }
    }

    private static func all(_ field: DateTimeField, _ range: ClosedRange<LocalDateTime>?) -> [Int] {
        switch field {
        case .decade:
            range.map { Array($0.lowerBound.date.components.year / 10...$0.upperBound.date.components.year / 10) } ?? []
        case .month: Array(1...12)
        case .dayTens: Array(0...3)
        case .hour: Array(0...23)
        case .minuteTens: Array(0...5)
        case .year, .dayOnes, .minuteOnes: Array(0...9)
        }
    }

    /// Whether, with the fields before as they are, some moment of the range has this value.
    private func isReachable(_ field: DateTimeField, _ value: Int) -> Bool {
        var values = values
        values[field] = value
        guard let range, let days = values.days(upTo: field) else { return false }
        let times = values.times(upTo: field)
        return LocalDateTime(days.lowerBound, times.lowerBound) <= range.upperBound
            && LocalDateTime(days.upperBound, times.upperBound) >= range.lowerBound
    }

    private func ring(_ place: Int) -> Ring {
        let choices = choices(place)
        return Ring(count: choices.count, at: choices.firstIndex(of: values[fields[place]]) ?? 0)
    }

    // MARK: - From field to field

    private mutating func move(_ place: Int, _ gesture: Gesture) -> [QuestionEffect] {
        var ring = ring(place)
        _ = ring.move(gesture)
        let choices = choices(place)
        if choices.indices.contains(ring.index) { values[fields[place]] = choices[ring.index] }
        return [.say(cue(place))]
    }

    private func cue(_ place: Int) -> Cue {
        let field = fields[place]
        let value = values[field]
        return .position(String(field == .decade ? value * 10 : value))
    }

    /// To the first field from there on in which there is something to choose; after the last, reads back.
    /// Each field passed takes the allowed value nearest to its own.
    private mutating func forward(to start: Int) -> [QuestionEffect] {
        for place in start..<max(fields.count, start) {
            let choices = choices(place)
            let field = fields[place]
            guard let nearest = choices.min(by: { distance($0, field) < distance($1, field) }) else {
                return [.say(.refused)]
            }
            values[field] = nearest
            if choices.count > 1 {
                state = .field(place)
                return [.say(cue(place))]
            }
        }
        guard let entered else { return [.say(.refused)] }
        state = .readingBack
        return [.say(.value(format.text(entered))), .say(.confirm)]
    }

    private func distance(_ value: Int, _ field: DateTimeField) -> Int { abs(value - values[field]) }

    /// To the last field before in which there was something to choose.
    private mutating func backward(to start: Int) -> [QuestionEffect] {
        for place in stride(from: start, through: 0, by: -1) where choices(place).count > 1 {
            state = .field(place)
            return [.say(cue(place))]
        }
        state = .untouched
        values = proposal
        return []
    }

    /// From the first field; where there is nothing to choose at all, to the beginning.
    private mutating func again() -> [QuestionEffect] {
        fields.indices.contains { choices($0).count > 1 } ? forward(to: 0) : backward(to: -1)
    }

    /// What the fields say; nil where there is no such day or time.
    private var entered: LocalDateTime? {
        let date = format == .time ? now.date : values.date
        let time = format == .date ? asked.local.time : values.time
        guard let date, let time else { return nil }
        return LocalDateTime(date, time)
    }
}

extension DateTimeQuestion {
    /// `2026-11-[2]4 08:30`: the part that next and previous change in brackets.
    package func drawing(in words: Words) -> [String] {
        let place: Int? = if case .field(let place) = state { place } else { nil }
        guard state != .untouched else { return [] }
        let parts = fields.enumerated().map { index, field in
            let text = text(of: field)
            return (index == 0 ? "" : Self.separator(before: field)) + (index == place ? "[\(text)]" : text)
        }
        return [parts.joined()]
    }

    package func meaning(of gesture: Gesture) -> PanelMeaning? {
        switch (state, gesture) {
        case (.untouched, .next), (.untouched, .previous): .phrase(MeaningPhrases.start)
        case (.field, .select): .phrase(DateTimePhrases.nextPart)
        case (.readingBack, .select): .phrase(DateTimePhrases.keep)
        case (.readingBack, .next), (.readingBack, .previous): .phrase(DateTimePhrases.change)
        default: nil
        }
    }

    /// Months and hours with two digits, the other fields as they are.
    private func text(of field: DateTimeField) -> String {
        values[field].padded([.month, .hour].contains(field) ? 2 : 1)
    }

    private static func separator(before field: DateTimeField) -> String {
        switch field {
        case .month, .dayTens: "-"
        case .hour: " "
        case .minuteTens: ":"
        case .decade, .year, .dayOnes, .minuteOnes: ""
        }
    }
}

extension DateTimeFormat {
    /// The parts that are asked, as they are read back: `2026 11 21`, `08:30`. Between blanks and colons
    /// each number is said by itself (`SpokenNumber`).
    func text(_ value: LocalDateTime) -> String {
        let (year, month, day) = value.date.components
        let date = "\(year) \(month.padded(2)) \(day.padded(2))"
        let time = "\(value.time.hour.padded(2)):\(value.time.minute.padded(2))"
        return self == .date ? date : self == .time ? time : "\(date) \(time)"
    }
}

enum DateTimePhrases {
    static let howTo = Phrase(
        "{0} to start with {1}; in each part {2}, {3} for the next part; {3} again after it is read back{4}")
    static let nextPart = Phrase("next part")
    static let keep = Phrase("keep it")
    static let change = Phrase("change it")
    static let now = Phrase("now")
    static let today = Phrase("today")
    static let tomorrow = Phrase("tomorrow")
    static let limits = Phrase("; only{0}{1}")
}
