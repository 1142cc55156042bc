// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformKit
import Study

extension MyStudiesQuestion {
    mutating func date() -> AnswerFormat? {
        let format: DateTimeFormat = findings.text("style", in: holder) == "Date-Time" ? .dateTime : .date
        guard let limits = dateLimits() else { return nil }
        if case .fixed? = limits.earliest, case .fixed(let latest)? = limits.latest,
            limits.range(format, at: latest) == nil
        {
            findings.expected("minDate not after maxDate", at: holder.member("maxDate") ?? holder)
            return nil
        }
        return .dateTime(format, limits: limits)
    }

    /// Nil after a problem, which has been noted.
    private mutating func dateLimits() -> DateLimits? {
        let initial = moment("default", isEnd: false)
        let range = findings.text("dateRange", in: holder)
        switch range.lowercased() {
        case "", "custom":
            let (low, high) = (moment("minDate", isEnd: false), moment("maxDate", isEnd: true))
            return DateLimits(
                earliest: low.map { .fixed($0) }, latest: high.map { .fixed($0) }, initial: initial)
        case "untilcurrent", "aftercurrent":
            for key in ["minDate", "maxDate"] {
                guard let given = holder.member(key), given.text != "" else { continue }
                findings.assume("ignored: dateRange is \(range)", at: given)
            }
            let isUntil = range.lowercased() == "untilcurrent"
            return DateLimits(earliest: isUntil ? nil : .now, latest: isUntil ? .now : nil, initial: initial)
        default:
            findings.expected(
                "a date range: untilCurrent, afterCurrent, custom", at: holder.member("dateRange") ?? holder)
            return nil
        }
    }

    /// A full timestamp or a day, as a wall clock shows it. A day alone is its first minute, or its
    /// last at the end of a range.
    private mutating func moment(_ key: String, isEnd: Bool) -> LocalDateTime? {
        guard let given = holder.member(key), given.text != "" else { return nil }
        let text = given.text ?? ""
        if let moment = MyStudiesDates.local(text) { return moment }
        if let day = MyStudiesDates.date(text) {
            return LocalDateTime(day, isEnd ? MyStudiesRuns.lastSecond : .midnight)
        }
        findings.expected("a date such as 2017-05-11T08:56:00.000-0400 or 2017-05-11", at: given)
        return nil
    }

    mutating func text(_ kind: TextRules.Kind) -> AnswerFormat {
        let wanted = kind == .text ? findings.optional("maxLength", 0, in: holder) : 0
        if wanted > Double(TextRules.longest), let given = holder.member("maxLength") {
            findings.assume("by letters at most \(TextRules.longest) characters are taken", at: given)
        }
        let length = wanted >= 1 ? Int(min(wanted, Double(TextRules.longest))) : nil
        return .text(
            multiline: holder.member("multipleLines")?.isTrue ?? false,
            rules: TextRules(
                kind, maximumLength: length, pattern: kind == .text ? pattern() : nil,
                invalidMessage: PlainText(html: findings.text("invalidMessage", in: holder)).text))
    }

    /// Found anywhere in the text, as ResearchKit looks for it. One that cannot be read
    /// refuses nothing.
    private mutating func pattern() -> TextPattern? {
        guard let given = holder.member("validationRegex"), let text = given.text, !text.isEmpty else { return nil }
        do { return try TextPattern(reading: text) } catch {
            findings.unsupported("any text is accepted: the pattern is not supported, \(error)", at: given)
            return nil
        }
    }
}
