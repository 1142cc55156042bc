// SPDX-License-Identifier: Apache-2.0
import Base

/// One time at which a task is due. It ends in exactly one `Outcome`.
package struct Occurrence: Sendable, Hashable {
    /// Unique in the enrolment, the same in every plan of it: `<task key>/<number>`.
    package let id: String
    package let task: String
    /// The task's zero-based position in its file.
    package let taskIndex: Int
    /// The platform's own running number, where it has one (schema counts all tasks up from 101).
    package let number: Int
    /// What a wall clock in the plan's zone shows when it is due.
    package let local: LocalDateTime
    /// The same moment in UTC, after the rules for skipped and repeated local times.
    package let due: Instant
    /// From when on it can no longer be started; nil = never ends.
    package private(set) var expires: Instant?
    /// What a DST change did to `local`.
    package let resolution: Zone.Resolution
    /// True for an occurrence that only signals and is not in the list (repeats of a sticky task).
    package let isHidden: Bool
    /// False where the platform gives it no signal: an offer, or a time before the enrolment.
    package let isSignalled: Bool
    package var purpose = Purpose.prompt
    /// How it calls the participant, besides the signal when it is due: reminders, its own text, silence.
    package var calls = PromptCalls()

    /// What an occurrence is for.
    package enum Purpose: Sendable, Hashable {
        /// The task is to be done.
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

    /// The same occurrence with another end.
    package func expiring(_ end: Instant?) -> Occurrence {
        var copy = self
        copy.expires = end
        return copy
    }
}

/// Something that a study tells at its time, beside what it asks.
package struct StudyNotice: Sendable, Hashable {
    /// In the platform's word.
    package let kind: String
    /// As plain text.
    package let text: String
    /// As it is kept with the messages; nil = it is said and gone.
    package let record: String?

    package init(kind: String, text: String, record: String?) {
        self.kind = kind
        self.text = text
        self.record = record
    }
}

package enum Outcome: Sendable, Hashable {
    case completed
    /// Its time ran out while the device was on and the prompt was presented.
    case expired
    /// It could not be presented, or not to the participant: the device was not worn.
    case missed(MissReason)
    case declined
    /// A run was begun and not finished.
    case interrupted

    /// `completed`, `expired`, `missed`, `declined`, `interrupted`.
    package var name: String {
        switch self {
        case .completed: "completed"
        case .expired: "expired"
        case .missed: "missed"
        case .declined: "declined"
        case .interrupted: "interrupted"
        }
    }

    /// Why it was missed; nil for other outcomes.
    package var reason: MissReason? {
        if case .missed(let reason) = self { reason } else { nil }
    }
}

/// Why an occurrence could not be presented to the participant.
package enum MissReason: String, Sendable, CaseIterable {
    case deviceOff = "device-off"
    case clockUnknown = "clock-unknown"
    /// The panel was in use until its time ran out.
    case busy = "busy"
    case promptsOff = "prompts-off"
    /// Its task could not be opened (`StudyTask.unlocked`, `opening`).
    case locked = "locked"
    /// The study was paused or closed by those who run it.
    case studyPaused = "study-paused"
    /// Those who run the study took its task out of it.
    case deleted = "deleted"
    /// The participant's wall clock passed over its time when it was put to another zone, or forward.
    case zoneChanged = "zone-changed"
    /// Another prompt of its task came at the same moment and covers both.
    case replaced = "replaced"
    /// Its time had run out before the participant enrolled.
    case beforeEnrolment = "before-enrolment"
    /// It was presented while the device was not worn, from when it was due until it ran out.
    case notWorn = "not-worn"
}
