// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Times

/// What a scripted participant wants a question to be answered with.
public enum Wanted: Sendable, Hashable {
    case leaveOut
    /// `.text` and `.recording` both mean: a voice memo, whatever it says.
    case answer(AnswerValue)
    /// For an active task.
    case perform(PerformanceStrategy)
}

/// A value of a participant file that does not fit its question.
public struct WantedError: Error, Hashable, CustomStringConvertible {
    /// As it stands in the file.
    public let value: ScriptedValue
    /// What the question takes, in words.
    public let expected: String

    /// A value that does not fit.
    public init(value: ScriptedValue, expected: String) {
        self.value = value
        self.expected = expected
    }

    /// Begins with the value; who throws it adds which question it was.
    public var description: String { "the value \(value) does not fit this question; it takes \(expected)" }
}

extension Wanted {
    /// Reads a value in the question's own terms: the text of an option (or a list of them), a number, true or false, an ISO
    /// 8601 date, time or both, free text; `null` leaves the question out. `now` completes a date or a time.
    public init(_ value: ScriptedValue, for format: AnswerFormat, now: LocalDateTime) throws {
        if value == .null {
            self = .leaveOut
            return
        }
        switch format {
        case .instruction, .media: self = .leaveOut
        case .yesNo(let yes, let no): self = .answer(.boolean(try Self.boolean(value, yes: yes, no: no)))
        case .choice(let choice): self = .answer(.choices(try Self.choices(value, of: choice)))
        case .slider(let slider): self = .answer(try Self.position(value, on: slider))
        case .number(let number): self = .answer(try Self.number(value, in: number))
        case .dateTime(let dateTime, let limits):
            self = .answer(.dateTime(try Self.dateTime(value, dateTime, limits, now)))
        case .position: self = .answer(try Self.place(value))
        case .active: self = .perform(try Self.strategy(value))
        case .text:
            guard let text = value.text else { throw WantedError(value: value, expected: "free text") }
            self = .answer(.text(text))
        }
    }

    private static func place(_ value: ScriptedValue) throws -> AnswerValue {
        let parts = (value.text ?? "").split(separator: ",").map { Double($0.filter { $0 != " " }) }
        guard parts.count == 2, let latitude = parts[0], let longitude = parts[1] else {
            throw WantedError(value: value, expected: "degrees such as \"51.5,-0.12\"")
        }
        return .position(latitude: latitude, longitude: longitude)
    }

    private static func strategy(_ value: ScriptedValue) throws -> PerformanceStrategy {
        switch value {
        case .string("perfect"): return .perfect
        case .string("fail"): return .fail
        case .string("random"): return .random
        case .list(let list):
            let presses = list.compactMap { $0.text.flatMap(ScriptedPress.init) }
            guard presses.count == list.count else { fallthrough }
            return .presses(presses)
        default:
            throw WantedError(
                value: value,
                expected: "\"perfect\", \"fail\", \"random\", or a list of presses such as \"select@12.5\"")
        }
    }

    private static func boolean(_ value: ScriptedValue, yes: String, no: String) throws -> Bool {
        switch value {
        case .boolean(let boolean): return boolean
        case .string(yes): return true
        case .string(no): return false
        default: throw WantedError(value: value, expected: "true, false, \"\(yes)\" or \"\(no)\"")
        }
    }

    private static func choices(_ value: ScriptedValue, of format: ChoiceFormat) throws -> [String] {
        var wanted = [value]
        if case .list(let list) = value { wanted = list }
        let values = wanted.compactMap { item in
            format.options.first { $0.text == item.text || $0.value == item.text }?.value
        }
        guard values.count == wanted.count, format.isMultiple ? format.canTick(values) : values.count == 1 else {
            let names = format.options.map { "\"\($0.text)\"" }.joined(separator: ", ")
            throw WantedError(value: value, expected: (format.isMultiple ? "a list of " : "one of ") + names)
        }
        return values
    }

    private static func position(_ value: ScriptedValue, on format: SliderFormat) throws -> AnswerValue {
        guard case .number(let number) = value, SliderScale(format).place(of: number) != nil else {
            let scale = "\(NumberText.text(format.minimum)) to \(NumberText.text(format.maximum))"
            throw WantedError(
                value: value, expected: "a number from \(scale) in steps of \(NumberText.text(format.step))")
        }
        return .number(number)
    }

    private static func number(_ value: ScriptedValue, in format: NumberFormat) throws -> AnswerValue {
        if value == .string("") { return .cleared }
        guard case .number(let number) = value, number >= format.minimum ?? -.infinity,
            number <= format.maximum ?? .infinity, NumberQuestion.canSpell(number, in: format)
        else {
            let digits = format.maximumFractionDigits
            let kind =
                digits == 0
                ? "a whole number" : "a number of at most \(digits) digit\(digits == 1 ? "" : "s") after the point"
            let low = format.minimum.map { " from \(NumberText.text($0))" } ?? ""
            let high = format.maximum.map { " up to \(NumberText.text($0))" } ?? ""
            throw WantedError(value: value, expected: "\(kind)\(low)\(high), or \"\" for one entered and cleared")
        }
        return .number(number)
    }

    private static func dateTime(
        _ value: ScriptedValue, _ format: DateTimeFormat, _ limits: DateLimits, _ now: LocalDateTime
    ) throws -> LocalDateTime {
        let parts = (value.text ?? "").split(whereSeparator: { $0 == "T" || $0 == " " })
        let date = parts.first.flatMap(date) ?? (format == .time ? now.date : nil)
        let time = parts.last.flatMap(time) ?? (format == .date ? now.time : nil)
        guard !parts.isEmpty, let date, let time else {
            let example = format == .date ? "2026-11-21" : format == .time ? "08:30" : "2026-11-21T08:30"
            throw WantedError(value: value, expected: "an ISO 8601 string such as \"\(example)\"")
        }
        let moment = LocalDateTime(date, time)
        guard format == .time || moment == limits.nearest(moment, format, at: now) else {
            throw WantedError(value: value, expected: "a \(format == .date ? "day" : "moment") within its limits")
        }
        return moment
    }

    private static func date(_ text: Substring) -> LocalDate? {
        let parts = text.split(separator: "-").map { Int($0) }
        guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2] else { return nil }
        return LocalDate(year: year, month: month, day: day)
    }

    /// Hours and minutes; seconds and an offset from UTC are passed over.
    private static func time(_ text: Substring) -> LocalTime? {
        let parts = text.prefix(5).split(separator: ":").map { Int($0) }
        guard parts.count == 2, let hour = parts[0], let minute = parts[1] else { return nil }
        return LocalTime(hour: hour, minute: minute)
    }
}

extension Wanted {
    /// The first thing a question offers.
    public static func first(_ step: Step, now: LocalDateTime) -> Wanted {
        switch step.format {
        case .instruction, .media: .leaveOut
        case .yesNo: .answer(.boolean(true))
        case .choice(let format): format.options.first.map { .answer(.choices([$0.value])) } ?? .leaveOut
        case .slider(let format): .answer(.number(SliderScale(format).value(0)))
        case .number(let format): .answer(.number(inside(format, 0)))
        case .dateTime(let format, let limits):
            .answer(.dateTime(limits.nearest(limits.initial ?? now, format, at: now)))
        case .text(_, let rules): .answer(.text(rules.example))
        case .active: .perform(.perfect)
        case .position: .answer(.position(latitude: 0, longitude: 0))
        }
    }

    /// Something a question could be answered with, drawn evenly. A question that need not be answered is left out one time in
    /// ten.
    public static func random(_ step: Step, now: LocalDateTime, using generator: inout SplitMix64) -> Wanted {
        if !step.isRequired, generator.below(10) == 0 { return .leaveOut }
        switch step.format {
        case .active: return .perform(.random)
        case .position: return .answer(.position(latitude: 0, longitude: 0))
        case .yesNo: return .answer(.boolean(generator.below(2) == 0))
        case .choice(let format) where !format.options.isEmpty:
            let order = generator.shuffled(format.options.map(\.value))
            let picked = Array(order.prefix(format.isMultiple ? 1 + generator.below(order.count) : 1))
            return .answer(.choices(format.canTick(picked) ? picked : [order[0]]))
        case .slider(let format):
            let scale = SliderScale(format)
            return .answer(.number(scale.value(generator.below(scale.count))))
        case .number(let format): return .answer(.number(inside(format, Double(generator.below(100)))))
        case .dateTime(let format, let limits):
            let moment = now.adding(minutes: -generator.below(1_440))
            return .answer(.dateTime(limits.nearest(moment, format, at: now)))
        default: return first(step, now: now)
        }
    }

    /// Left out where it may be, else the first thing it offers.
    public static func skip(_ step: Step, now: LocalDateTime) -> Wanted {
        step.isRequired && step.format.isQuestion ? first(step, now: now) : .leaveOut
    }

    private static func inside(_ format: NumberFormat, _ number: Double) -> Double {
        min(max(number, format.minimum ?? -.infinity), format.maximum ?? .infinity)
    }
}

extension DateLimits {
    /// The moment itself where it may be answered, else the nearest that may; of a day alone the time is left as it is.
    fileprivate func nearest(_ moment: LocalDateTime, _ format: DateTimeFormat, at now: LocalDateTime) -> LocalDateTime
    {
        guard format != .time, let range = range(format, at: now) else { return moment }
        let day = min(max(moment.date, range.lowerBound.date), range.upperBound.date)
        if format == .date { return LocalDateTime(day, moment.time) }
        if moment >= range.upperBound.adding(minutes: 1) { return range.upperBound }
        return max(moment, range.lowerBound)
    }
}
