// SPDX-License-Identifier: Apache-2.0
import Times

/// One time at which a task is due. It ends in exactly one `Outcome`.
public struct Occurrence: Sendable, Hashable {
    /// Unique in the enrolment, the same in every plan of it: `<task key>/<number>`.
    public let id: String
    /// The task's key.
    public let task: String
    /// The task's zero-based position in its file.
    public let taskIndex: Int
    /// The platform's own running number, where it has one (schema counts all tasks up from 101).
    public let number: Int
    /// What the wall clock shows when it is due.
    public let local: LocalDateTime
    /// The same moment in UTC, after the rules for skipped and repeated local times.
    public let due: Instant
    /// From when on it can no longer be started; nil = never ends.
    public let expires: Instant?
    /// What a DST change did to `local`.
    public let resolution: Zone.Resolution
    /// True for an occurrence that only signals and is not in the list (repeats of a sticky task).
    public let isHidden: Bool
    /// False where the platform gives it no signal (a time before enrolment).
    public let isSignalled: Bool
    /// When it is signalled again, in time order, unless it was begun or has ended.
    public var reminders: [Instant] = []
    /// What its prompt says in place of its task's message; nil = that.
    public var message: String?
    /// From when on nothing signals it any more, though it may stay open; nil = until it ends.
    public var silentFrom: Instant?

    public init(
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
}

/// How an occurrence ended.
public enum Outcome: Sendable, Hashable {
    case completed
    /// Its time ran out while the device was on and the prompt was presented.
    case expired
    /// It could not be presented.
    case missed(MissReason)
    /// The participant said no.
    case declined
    /// A run was begun and not finished.
    case interrupted

    /// `completed`, `expired`, `missed`, `declined`, `interrupted`.
    public var name: String {
        switch self {
        case .completed: "completed"
        case .expired: "expired"
        case .missed: "missed"
        case .declined: "declined"
        case .interrupted: "interrupted"
        }
    }

    /// Why it was missed; nil for other outcomes.
    public var reason: MissReason? {
        if case .missed(let reason) = self { reason } else { nil }
    }
}

/// Why an occurrence could not be presented.
public enum MissReason: String, Sendable, CaseIterable {
    case deviceOff = "device-off"
    case clockUnknown = "clock-unknown"
    case busy = "busy"
    case promptsOff = "prompts-off"
    case locked = "locked"
    /// The study was paused or closed by those who run it.
    case studyPaused = "study-paused"
    /// Those who run the study took its task out of it.
    case deleted = "deleted"
    /// Its time had run out before the participant enrolled.
    case beforeEnrolment = "before-enrolment"
}
