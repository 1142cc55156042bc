// SPDX-License-Identifier: Apache-2.0
import Base

/// How the prompts of one day of a participant's wall clock ended, for the pages and tables. Pure.
struct PromptDay: Sendable, Hashable {
    let day: LocalDate
    var answered = 0
    /// Of the answered, those that took longer than is asked for.
    var late = 0
    /// By outcome, and after a slash the reason: `missed/device-off`.
    var unanswered: [String: Int] = [:]
    /// Prompts that never came to the participant: before the enrolment, without a signal, or taken out.
    var notAsked = 0

    /// All that came to the participant, and are over.
    var over: Int { answered + unanswered.values.reduce(0, +) }
    /// Not presented, or not to the participant: the device was off or not worn, prompts were switched off, …
    var missed: Int { unanswered.reduce(0) { $0 + ($1.key.hasPrefix("missed") ? $1.value : 0) } }

    static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.answered += right.answered
        sum.late += right.late
        sum.unanswered.merge(right.unanswered, uniquingKeysWith: +)
        sum.notAsked += right.notAsked
        return sum
    }

    /// The latest day last.
    static func days(_ prompts: [PromptOutcome], late: Duration) -> [PromptDay] {
        var days: [LocalDate: PromptDay] = [:]
        for prompt in prompts {
            guard let day = prompt.localDay else { continue }
            days[day, default: PromptDay(day: day)].add(prompt, late: late)
        }
        return days.values.sorted { $0.day < $1.day }
    }

    private mutating func add(_ prompt: PromptOutcome, late: Duration) {
        if !prompt.counts {
            notAsked += 1
        } else if prompt.isAnswered {
            answered += 1
            if prompt.delay.map({ $0 > late }) ?? false { self.late += 1 }
        } else {
            unanswered[prompt.ending, default: 0] += 1
        }
    }

    /// What `ending` says, for people.
    static func words(_ ending: String) -> String {
        let parts = ending.split(separator: "/", maxSplits: 1).map(String.init)
        let reasons = [
            "device-off": "device off", "clock-unknown": "clock unknown", "busy": "another task was open",
            "prompts-off": "prompts switched off", "zone-changed": "zone changed", "not-worn": "not worn",
            "not-signalled": "without a prompt",
        ]
        guard parts.count == 2 else { return ["expired": "not answered in time"][ending] ?? ending }
        return "\(parts[0]): \(reasons[parts[1]] ?? parts[1])"
    }
}

extension PromptOutcome {
    /// The day on which it was due, on the participant's wall clock.
    var localDay: LocalDate? { try? LocalDate(parsing: String(due.prefix(10))) }

    /// The time between its due moment and its end; nil where that is not known, such as after the clock was set back.
    var delay: Duration? {
        guard let ended = ended.flatMap(Instant.parsed), ended >= dueInstant else { return nil }
        return ended - dueInstant
    }

    /// `expired`, `missed/device-off`.
    var ending: String { reason.map { "\(outcome)/\($0)" } ?? outcome }

    /// Minutes after midnight in a time such as `2026-11-25T14:00:05+01:00`; nil where it is written otherwise.
    static func minute(_ text: String) -> Int? {
        let parts = text.dropFirst(11).prefix(5).split(separator: ":").compactMap { Int($0) }
        return parts.count == 2 ? parts[0] * 60 + parts[1] : nil
    }
}
