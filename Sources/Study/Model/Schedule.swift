// SPDX-License-Identifier: Apache-2.0
import Base

/// When a task is due. Platforms bring their own implementations.
package protocol Schedule: Sendable {
    /// Every occurrence that follows from `context`, in time order (stable for equal times).
    ///
    /// Pure and repeatable: asked again with the same enrolment it gives the same occurrences with
    /// the same ids, so that a restart, a change of zone or a new fact is simply a new plan.
    func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence]
    /// What becomes due because of something that happened, now or later; empty where it does not
    /// listen for that.
    ///
    /// Pure and repeatable as well: what happened is in the context's facts, so it is raised again in every later
    /// plan.
    func raised(by happening: StudyHappening, of task: StudyTask, in context: ScheduleContext) -> [Occurrence]
    /// Where a plan is made again: whether a run that is open or over keeps the times it was given,
    /// an open one at most ending later.
    var keepsIssuedRuns: Bool { get }
    /// Whether a new version of the study prompts only from when it was taken up; else what has passed
    /// by then falls due at once.
    var startsWithVersion: Bool { get }
    /// Whether a task that stays in the list leaves it when its occurrence expires.
    var closesWithOccurrence: Bool { get }
    /// Whether a prompt that falls due while its task is locked waits until the task opens; else it
    /// is gone, with its reminders.
    var waitsWhileLocked: Bool { get }
    /// Whether a run that is open ends when the task's next prompt falls due.
    var endsWithNextPrompt: Bool { get }
    /// Times of day that the participant may move, as they are now; empty = none.
    func promptTimes(of task: StudyTask, in context: ScheduleContext) -> [PromptTime]
    /// Moves these, each to its new start and end. Occurrences that have fallen due, and the next one, keep
    /// their times. Throws in words what the study does not allow.
    func moving(
        _ times: [PromptTime], of task: StudyTask, in context: ScheduleContext, at now: Instant
    ) throws(PromptTimeError) -> MovedTimes
}

extension Schedule {
    /// Nothing: the clock alone decides.
    package func raised(by happening: StudyHappening, of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        []
    }
    /// False: times follow the plan.
    package var keepsIssuedRuns: Bool { false }
    /// False: runs count from the enrolment.
    package var startsWithVersion: Bool { false }
    /// False: it stays in the list for ever.
    package var closesWithOccurrence: Bool { false }
    /// True: schema's `unlock_after`.
    package var waitsWhileLocked: Bool { true }
    /// False: runs pile up.
    package var endsWithNextPrompt: Bool { false }
    package func promptTimes(of task: StudyTask, in context: ScheduleContext) -> [PromptTime] { [] }
    /// Never called, since `promptTimes` gives none.
    package func moving(
        _ times: [PromptTime], of task: StudyTask, in context: ScheduleContext, at now: Instant
    ) throws(PromptTimeError) -> MovedTimes {
        throw PromptTimeError("the times of \(task.name) cannot be changed")
    }
}

/// What a schedule may look at.
package struct ScheduleContext: Sendable {
    /// The enrolment of the plan: its arm, its local day and its seed decide.
    package let enrolment: Enrolment
    /// The zone in which times of day are read: for a schedule the one that its platform's
    /// `PlanZone` chooses, for all else that of the participant's wall clock now.
    package let zone: Zone
    package let chance: Chance
    /// What has happened so far.
    package let facts: StudyFacts

    package init(enrolment: Enrolment, zone: Zone, chance: Chance, facts: StudyFacts) {
        self.enrolment = enrolment
        self.zone = zone
        self.chance = chance
        self.facts = facts
    }

    /// A copy with the zone in which that rule reads times of day.
    package func inZone(of rule: PlanZone) -> ScheduleContext {
        switch rule {
        case .participant: self
        case .enrolment: ScheduleContext(enrolment: enrolment, zone: enrolment.zone, chance: chance, facts: facts)
        }
    }
}

/// In which zone the times of day of a platform's schedules are read, for a
/// participant who travels.
package enum PlanZone: Sendable, Hashable {
    /// In that of the enrolment: each time is a moment that was fixed then, wherever the
    /// participant goes.
    case enrolment
    /// In that of the participant's wall clock: eight o'clock is eight o'clock, wherever that is.
    case participant
}

/// One participant's taking part in one study, from enrolment to withdrawal.
package struct Enrolment: Sendable, Hashable {
    /// Unique on this device; every stored row carries it.
    package let id: String
    /// The study's own identifier, as in `StudyProtocol.studyID`.
    package let studyID: String
    /// The participant's pseudonym as the platform writes it.
    package let participant: ParticipantID
    /// The arm drawn, nil where the study has none.
    package var condition: String?
    package let instant: Instant
    /// What the participant's wall clock showed then.
    package let local: LocalDateTime
    /// The zone of `local`; kept, whatever zone the wall clock is in later.
    package let zone: Zone
    /// 32 bytes from which every draw of this enrolment follows.
    package let seed: [UInt8]

    /// Without a `zone` it is for good the offset from UTC that `local` had at `instant`.
    package init(
        id: String, studyID: String, participant: ParticipantID, condition: String?, instant: Instant,
        local: LocalDateTime, zone: Zone? = nil, seed: [UInt8]
    ) {
        self.id = id
        self.studyID = studyID
        self.participant = participant
        self.condition = condition
        self.instant = instant
        self.local = local
        self.zone = zone ?? Zone(offsetOf: local, at: instant)
        self.seed = seed
    }
}

/// A participant's pseudonym.
package struct ParticipantID: Sendable, Hashable {
    /// As on the wire: for schema the random user id that its app draws, unless one
    /// was given by hand.
    package let text: String
    package init(_ text: String) { self.text = text }
}
