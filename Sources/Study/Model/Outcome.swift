// SPDX-License-Identifier: Apache-2.0

/// How an occurrence (one time at which a task was due) ended; `Scheduler` decides it, and the log keeps it.
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
    package var reason: MissReason? { if case .missed(let reason) = self { reason } else { nil } }
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
    /// Another prompt of its task came at the same moment and covers both, or another version of the study
    /// has other runs.
    case replaced = "replaced"
    /// Its time had run out before the participant enrolled.
    case beforeEnrolment = "before-enrolment"
    /// It was presented while the device was not worn, from when it was due until it ran out.
    case notWorn = "not-worn"
}
