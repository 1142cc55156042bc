// SPDX-License-Identifier: Apache-2.0
import Base

/// A text that a MyStudies study opens to its participants, for a time or for good: `ResourceWatch` announces
/// it, and `studyd study` prints it.
package struct StudyResource: Sendable, Hashable {
    /// When it can be read. Calendar days, both ends included, by the wall clock of
    /// the participant.
    package enum Window: Sendable, Hashable {
        case always
        /// Nil = open at that end.
        case between(LocalDateTime?, LocalDateTime?)
        /// Days from an anchor at times of day; a nil variable is the day of enrolment. Closed
        /// while the anchor is not known.
        case anchored(variable: String?, from: DayTime, to: DayTime)
    }

    package struct DayTime: Sendable, Hashable {
        /// May be negative.
        package let days: Int
        /// By the wall clock.
        package let time: LocalTime
        package init(days: Int, time: LocalTime) { (self.days, self.time) = (days, time) }
    }

    /// Unique in its study.
    package let id: String
    /// Its heading, as plain text.
    package let title: String
    /// What is to be read, as plain text; for pictures and PDFs, which a device cannot show, their
    /// address.
    package let text: String
    /// Said when it opens; empty = it opens in silence.
    package let announcement: String
    package let window: Window

    package init(id: String, title: String, text: String, announcement: String, window: Window) {
        self.id = id
        self.title = title
        self.text = text
        self.announcement = announcement
        self.window = window
    }

    /// The first and the last moment at which it can be read; a nil end is open. Nil instead of
    /// both = never, as far as is known now.
    package func span(enrolled: LocalDateTime, variables: [String: AnswerValue]) -> (
        from: LocalDateTime?, to: LocalDateTime?
    )? {
        switch window {
        case .always: return (nil, nil)
        case .between(let from, let to): return (from, to)
        case .anchored(let variable, let from, let to):
            guard let day = Self.day(variable, enrolled, variables) else { return nil }
            return (
                LocalDateTime(day.adding(days: from.days), from.time), LocalDateTime(day.adding(days: to.days), to.time)
            )
        }
    }

    private static func day(
        _ variable: String?, _ enrolled: LocalDateTime, _ variables: [String: AnswerValue]
    ) -> LocalDate? {
        guard let variable else { return enrolled.date }
        guard case .dateTime(let local)? = variables[variable] else { return nil }
        return local.date
    }

    /// Whether it can be read at that wall-clock time.
    package func isOpen(at now: LocalDateTime, enrolled: LocalDateTime, variables: [String: AnswerValue]) -> Bool {
        guard let span = span(enrolled: enrolled, variables: variables) else { return false }
        return span.from.map { $0 <= now } ?? true && span.to.map { now <= $0 } ?? true
    }
}
