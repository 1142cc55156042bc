// SPDX-License-Identifier: Apache-2.0
import Base

/// A day, a time, or both, within limits that may move, made by `AnswerFormat.kind`: how it is asked, printed
/// and scripted.
struct DateTimeKind: QuestionKind {
    let format: DateTimeFormat
    let limits: DateLimits

    func machine(in context: QuestionContext) -> any QuestionMachine {
        DateTimeQuestion(format, limits: limits, now: context.now, time: context.time, layout: context.panel.layout)
    }

    func howTo(on panel: Panel, in words: Words) -> String {
        let start = limits.initial.map { format.text($0) } ?? words(DateTimePhrases.now)
        return words(
            DateTimePhrases.howTo, panel.pressing(.next, in: words), start, panel.walking(in: words),
            panel.pressing(.select, in: words), limitsText(in: words))
    }

    private func limitsText(in words: Words) -> String {
        func name(_ bound: DateLimits.Bound) -> String {
            switch bound {
            case .now: words(format == .date ? DateTimePhrases.today : DateTimePhrases.now)
            case .tomorrow: words(DateTimePhrases.tomorrow)
            case .fixed(let moment): text(moment)
            }
        }
        if format == .time { return "" }
        let low = limits.earliest.map { words(NumberQuestionPhrases.from, name($0)) } ?? ""
        let high = limits.latest.map { words(NumberQuestionPhrases.upTo, name($0)) } ?? ""
        return low.isEmpty && high.isEmpty ? "" : words(DateTimePhrases.limits, low, high)
    }

    /// ISO 8601: `2026-03-01`, or with a time.
    private func text(_ moment: LocalDateTime) -> String {
        format == .date ? "\(moment.date)" : moment.text(fractionDigits: 0)
    }

    func saidBack(_ answer: AnswerValue) -> [Cue] {
        guard case .dateTime(let moment) = answer else { return [] }
        return [.value(format.text(moment))]
    }

    func refusal(on panel: Panel) -> String? {
        format != .time && isImpossible
            ? "there is no \(format == .date ? "day" : "minute") between its limits; correct them" : nil
    }

    /// True where no moment at which it is asked could make an answer possible.
    private var isImpossible: Bool {
        guard case .fixed(let low)? = limits.earliest, case .fixed? = limits.latest else { return false }
        return limits.range(format, at: low) == nil
    }

    // MARK: - A scripted participant

    func wanted(_ value: ScriptedValue, now: LocalDateTime) throws -> Wanted {
        let parts = (value.text ?? "").split(whereSeparator: { $0 == "T" || $0 == " " })
        let date = parts.first.flatMap(Self.date) ?? (format == .time ? now.date : nil)
        let time = parts.last.flatMap(Self.time) ?? (format == .date ? now.time : nil)
        guard !parts.isEmpty, let date, let time else {
            let example = format == .date ? "2026-11-21" : format == .time ? "08:30" : "2026-11-21T08:30"
            throw WantedError(value: value, expected: "an ISO 8601 string such as \"\(example)\"")
        }
        let moment = LocalDateTime(date, time)
        guard format == .time || moment == nearest(moment, at: now) else {
            throw WantedError(value: value, expected: allowed(at: now))
        }
        return .answer(.dateTime(moment))
    }

    /// `a day from 2026-03-01 to 2026-03-09`
    private func allowed(at now: LocalDateTime) -> String {
        let what = format == .date ? "a day" : "a moment"
        guard let range = limits.range(format, at: now) else { return what }
        return "\(what) from \(text(range.lowerBound)) to \(text(range.upperBound))"
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

    func first(now: LocalDateTime) -> Wanted { .answer(.dateTime(nearest(limits.initial ?? now, at: now))) }

    func random(now: LocalDateTime, using generator: inout SplitMix64) -> Wanted {
        .answer(.dateTime(nearest(now.adding(minutes: -generator.below(1_440)), at: now)))
    }

    /// The moment itself where it may be answered, else the nearest that may; of a day alone the
    /// time is left as it is.
    private func nearest(_ moment: LocalDateTime, at now: LocalDateTime) -> LocalDateTime {
        guard format != .time, let range = limits.range(format, at: now) else { return moment }
        let day = min(max(moment.date, range.lowerBound.date), range.upperBound.date)
        if format == .date { return LocalDateTime(day, moment.time) }
        // The last minute counts to its end.
        if moment >= range.upperBound.adding(minutes: 1) { return range.upperBound }
        return max(moment, range.lowerBound)
    }
}
