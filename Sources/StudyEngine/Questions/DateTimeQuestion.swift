// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Times

/// A day, a time, or both, field by field, beginning with now.
///
/// ```
///  untouched ── next, previous ──▶ field 1 ── select ──▶ field 2 … field n ── select ──▶ reading back ── select ──▶ answered
///   │ select                        ⟲ next, previous: its values in a circle               │ next, previous, undo
///   ▼                                                                                      ▼
///  left out                        undo: to the field before; field 1: untouched         field 1
///
///  untouched, undo: back.   A day that does not exist is refused, and the day's fields come again.
/// ```
/// Fields: decade, year's last digit, month, day's tens, day's ones; hour, minute's tens, minute's ones. With a day alone the
/// time stays that of now, and the other way round.
public struct DateTimeQuestion: QuestionMachine {
    private enum Field: Int, Sendable { case decade, year, month, dayTens, dayOnes, hour, minuteTens, minuteOnes }
    private enum State: Sendable, Hashable {
        case untouched
        case field(Int)
        case readingBack
    }
    /// Decades that can be reached: 1900 to 2099.
    private static let decades = 190..<210

    private let format: DateTimeFormat
    private let now: LocalDateTime
    private let layout: Panel.Layout
    private let fields: [Field]
    private var values: [Int]
    private var state = State.untouched

    /// Begins with `now`.
    public init(_ format: DateTimeFormat, now: LocalDateTime, layout: Panel.Layout) {
        self.format = format
        self.now = now
        self.layout = layout
        let day: [Field] = [.decade, .year, .month, .dayTens, .dayOnes]
        let time: [Field] = [.hour, .minuteTens, .minuteOnes]
        fields = format == .date ? day : format == .time ? time : day + time
        values = Self.values(now)
    }

    /// Nothing: the fields are told once a press begins the first.
    public mutating func begin() -> [QuestionEffect] { [] }

    /// The arrows of the diagram; holding next or previous runs through a field's values, other holds count once.
    public mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        guard case .gesture(let gesture, let repeats) = event else { return [] }
        switch (state, gesture, repeats) {
        case (.field(let place), .next, _), (.field(let place), .previous, _): return move(fields[place], gesture)
        case (.untouched, .next, 0), (.untouched, .previous, 0): return enter(0)
        case (.untouched, .select, 0): return [.leftOut]
        case (.untouched, .undo, 0): return [.back]
        case (.field(let place), .select, 0): return [.tell(.accepted)] + enter(place + 1)
        case (.field(let place), .undo, 0): return [.tell(.undone)] + enter(place - 1)
        case (.readingBack, .select, 0): return entered.map { [.answered(.dateTime($0))] } ?? []
        case (.readingBack, .next, 0), (.readingBack, .previous, 0), (.readingBack, .undo, 0):
            return [.tell(.undone)] + enter(0)
        default: return []
        }
    }

    /// Field by field, then select what was read back; nil where a field cannot show the value.
    public func press(towards wanted: Wanted) -> Press? {
        switch (wanted, state) {
        case (.leaveOut, .untouched): return Press(.select)
        case (.leaveOut, _): return Press(.undo)
        case (.answer(.dateTime), .untouched): return Press(.next)
        case (.answer(.dateTime(let target)), .readingBack): return Press(matches(target) ? .select : .undo)
        case (.answer(.dateTime(let target)), .field(let place)):
            let field = fields[place]
            let value = Self.values(target)[field.rawValue]
            guard let index = choices(field).firstIndex(of: value) else { return nil }
            return ring(field).press(to: index, layout: layout)
        default: return nil
        }
    }

    private func matches(_ target: LocalDateTime) -> Bool {
        fields.allSatisfy { values[$0.rawValue] == Self.values(target)[$0.rawValue] }
    }

    private static func values(_ time: LocalDateTime) -> [Int] {
        let (year, month, day) = time.date.components
        return [
            year / 10, year % 10, month, day / 10, day % 10, time.time.hour, time.time.minute / 10,
            time.time.minute % 10,
        ]
    }

    private func choices(_ field: Field) -> [Int] {
        switch field {
        case .decade: Array(Self.decades)
        case .month: Array(1...12)
        case .dayTens: Array(0...3)
        case .hour: Array(0...23)
        case .minuteTens: Array(0...5)
        case .year, .dayOnes, .minuteOnes: Array(0...9)
        }
    }

    private func ring(_ field: Field) -> Ring {
        let choices = choices(field)
        return Ring(count: choices.count, at: choices.firstIndex(of: values[field.rawValue]) ?? 0)
    }

    private mutating func move(_ field: Field, _ gesture: Gesture) -> [QuestionEffect] {
        var ring = ring(field)
        _ = ring.move(gesture)
        values[field.rawValue] = choices(field)[ring.index]
        return [.tell(cue(field))]
    }

    private func cue(_ field: Field) -> Cue {
        let value = values[field.rawValue]
        return .position(String(field == .decade ? value * 10 : value))
    }

    private mutating func enter(_ place: Int) -> [QuestionEffect] {
        if place < 0 {
            state = .untouched
            values = Self.values(now)
            return []
        }
        if place < fields.count {
            state = .field(place)
            return [.tell(cue(fields[place]))]
        }
        guard let entered else {
            state = .field(fields.firstIndex(of: .dayTens) ?? 0)
            return [.tell(.refused), .tell(cue(.dayTens))]
        }
        state = .readingBack
        return [.tell(.value(format.text(entered))), .tell(.confirm)]
    }

    private var entered: LocalDateTime? {
        let date =
            format == .time
            ? now.date
            : LocalDate(year: values[0] * 10 + values[1], month: values[2], day: values[3] * 10 + values[4])
        let time = format == .date ? now.time : LocalTime(hour: values[5], minute: values[6] * 10 + values[7])
        guard let date, let time else { return nil }
        return LocalDateTime(date, time)
    }
}

extension DateTimeFormat {
    /// The parts that are asked, as they are read back: `2026-11-21`, `08:30`.
    func text(_ value: LocalDateTime) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (year, month, day) = value.date.components
        let date = "\(year) \(two(month)) \(two(day))"
        let time = "\(two(value.time.hour)):\(two(value.time.minute))"
        return self == .date ? date : self == .time ? time : "\(date) \(time)"
    }
}
