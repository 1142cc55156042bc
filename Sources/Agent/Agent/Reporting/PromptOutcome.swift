// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// How a prompt ended, as a report tells it; `PromptOutcomes` reads it from the log.
package struct PromptOutcome: Sendable, Hashable {
    /// The number of the log's row in which the prompt ended.
    package let row: Int64
    let occurrence: String
    let task: String
    let due: Instant
    let outcome: Outcome
    /// False where the study gives it no signal: the task is only open for a while, or it was due before the enrolment.
    var isSignalled = true
    /// Nil when its signal was never given.
    let presented: Instant?
    /// When its questions were opened for the first time; nil = never.
    var opened: Instant?
    let ended: Instant
    /// How often buttons were pressed, by question; questions without counts are absent.
    var presses: [String: Int] = [:]
    /// How far off its times can be, one side, in seconds; nil where the clock was not trusted at its end.
    var clockError: Double?
    /// How many seconds the wall clock was east of UTC when it ended; nil = as it is now.
    var offset: Int?
    /// The wall clock on which it was due; nil = that of its end.
    var planned: Zone?

    /// Bounds the report: the presses of further questions are left out.
    private static let mostQuestions = 100

    /// `zone` is where the device is now: what ended before a journey keeps the wall clock that the device had then.
    /// `due`, by which a lab counts days, has the wall clock for which it was planned, wherever it ended.
    func json(in zone: Zone) -> JSONText {
        let left = offset.flatMap { $0 == zone.period(at: ended).offset ? nil : $0 }
        let there = left.map { Zone(fixed: $0, identifier: "", abbreviation: "") } ?? zone
        func time(_ instant: Instant?) -> JSONText? { instant.map { .string($0.rfc3339(in: there)) } }
        return .objectWithNulls([
            "occurrence": .string(occurrence.bounded), "task": .string(task.bounded),
            "due": .string(due.rfc3339(in: planned ?? there)), "outcome": .string(outcome.name),
            "reason": reason.map { .string($0) }, "presented": time(presented), "opened": time(opened),
            "ended": time(ended), "presses": pressed, "clockError": clockError.map { .number($0) },
        ])
    }

    /// Whatever became of it, one without a signal is no prompt that the participant kept or missed.
    private var reason: String? { outcome.reason?.rawValue ?? (isSignalled ? nil : "not-signalled") }

    private var pressed: JSONText {
        let listed = presses.sorted { $0.key < $1.key }.prefix(Self.mostQuestions)
        return .object(listed.map { .init($0.key.bounded, .integer(Int64($0.value))) })
    }
}

/// Prompts whose outcomes are void: a clock that had jumped ahead brought them. They fall due again.
struct ReturnedPrompts: Sendable, Hashable {
    /// The number of its row in the event log.
    let row: Int64
    var occurrences: [String]
    /// How many more there are for which a report has no room.
    var unnamed = 0
}

/// What a report tells of one state of the log.
struct PromptEndings: Sendable {
    let outcomes: [PromptOutcome]
    let returned: [ReturnedPrompts]
}

extension String {
    /// On one line, 200 characters at most: the receiver refuses a body with longer names or texts.
    var bounded: String { oneLine(200) }
}
