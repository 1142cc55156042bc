// SPDX-License-Identifier: Apache-2.0
import Base

/// One time at which a task is due: a `Schedule` makes it, and `Scheduler` ends it in exactly one `Outcome`.
package struct Occurrence: Sendable, Hashable {
    /// Unique in the enrolment, the same in every plan of it: `<task key>/<number>`, or what the schedule makes
    /// (`RunNumbering`, for one).
    package private(set) var id: String
    /// What the id stands for when a later plan gives it another time.
    package var identity = Identity.run
    package let task: String
    /// The task's zero-based position in its file.
    package let taskIndex: Int
    /// The platform's own running number, where it has one (schema counts all tasks up from 101).
    package let number: Int
    /// What a wall clock in the plan's zone shows when it is due.
    package internal(set) var local: LocalDateTime
    /// The same moment in UTC, after the rules for skipped and repeated local times.
    package internal(set) var due: Instant
    /// From when on it can no longer be started; nil = never ends.
    package private(set) var expires: Instant?
    /// What a DST change did to `local`.
    package internal(set) var resolution: Zone.Resolution
    /// True for an occurrence that only signals and is not in the list (repeats of a sticky task).
    package let isHidden: Bool
    /// False where the platform gives it no signal: an offer, or a time before the enrolment.
    package internal(set) var isSignalled: Bool
    package var purpose = Purpose.prompt
    /// How it calls the participant, besides the signal when it is due: reminders, its own text, silence.
    package var calls = PromptCalls()

    /// What an id stands for.
    package enum Identity: Sendable, Hashable {
        /// A run, which moves with its plan.
        case run
        /// Something that happened, so that a new version of the study does not raise it again.
        case event
        /// The place of a time among those of its day: a new version of the study may give it to another time.
        case place
    }

    package enum Purpose: Sendable, Hashable {
        case prompt
        /// The task is only open for its time: it cannot be missed.
        case offer
        /// Something is announced, and nothing is to be done.
        case notice(StudyNotice)
    }

    package var isOffer: Bool { purpose == .offer }
    package var notice: StudyNotice? { if case .notice(let notice) = purpose { notice } else { nil } }
    package var reminders: [Instant] { calls.reminders }
    package var silentFrom: Instant? { calls.silentFrom }
    package var openFor: Duration? { calls.openFor }
    package var message: String? { calls.message }

    package init(
        id: String, task: String, taskIndex: Int, number: Int, local: LocalDateTime, due: Instant, expires: Instant?,
        resolution: Zone.Resolution = .unique, isHidden: Bool = false, isSignalled: Bool = true
    ) {
        self.id = id
        self.task = task
        self.taskIndex = taskIndex
        self.number = number
        self.local = local
        self.due = due
        self.expires = expires
        self.resolution = resolution
        self.isHidden = isHidden
        self.isSignalled = isSignalled
    }

    /// The same times under another id.
    package func called(_ id: String) -> Occurrence {
        var copy = self
        copy.id = id
        return copy
    }

    /// The same occurrence with another end.
    package func expiring(_ end: Instant?) -> Occurrence {
        var copy = self
        copy.expires = end
        return copy
    }
}
