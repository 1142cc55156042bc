// SPDX-License-Identifier: Apache-2.0
import Base
import Dataset

/// How one prompt ended, and why, as a `DeviceReport` says it and `FleetArchive` keeps it. Times are as the
/// device wrote them, with their offset.
struct PromptOutcome: Sendable, Hashable {
    let occurrence: String
    let task: String
    let due: String
    /// `completed`, `expired`, `missed`, `declined`, `interrupted`.
    let outcome: String
    /// Why it was missed: `device-off`; `not-signalled` where the task was only open, whatever became of it.
    let reason: String?
    let presented: String?
    let ended: String?
    /// When its questions were opened for the first time.
    var opened: String?
    /// Presses of buttons: a JSON object of numbers by question.
    var presses: JSONValue?
    /// How far off its times can be, one side, in seconds.
    var clockError: Double?

    var isAnswered: Bool { outcome == "completed" }
    /// Whether it is part of what compliance is a share of.
    var counts: Bool { StudyPrompt.counts(reason) }
    var dueInstant: Instant { Instant.parsed(due) ?? .epoch }
    /// The UTC day it was due on, since 1970.
    var day: Int { PromptCount.day(dueInstant) }

    var json: JSONValue {
        .members([
            "occurrence": .string(occurrence), "task": .string(task), "due": .string(due), "outcome": .string(outcome),
            "reason": .text(reason), "presented": .text(presented), "opened": .text(opened), "ended": .text(ended),
            "presses": presses ?? .object([]), "clockError": .measured(clockError),
        ])
    }
}

extension PromptOutcome {
    init(_ fields: CheckedFields) throws(FieldError) {
        occurrence = try fields.needText("occurrence")
        task = try fields.needText("task")
        due = try fields.need("due", fields.time("due"), "a time")
        outcome = try fields.needText("outcome")
        reason = try fields.text("reason")
        presented = try fields.time("presented")
        opened = try fields.time("opened")
        ended = try fields.time("ended")
        presses = try fields.counts("presses")
        clockError = try fields.number("clockError", 0...1e12)
    }
}

/// A prompt and whose it was, for the tables of all participants.
struct ParticipantPrompt: Sendable, Hashable {
    let participant: String
    let study: String
    let device: String
    let enrolment: String?
    let outcome: PromptOutcome
}
