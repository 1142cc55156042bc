// SPDX-License-Identifier: Apache-2.0
import Times

/// When a task is due. Platforms bring their own implementations.
public protocol Schedule: Sendable {
    /// Every occurrence that can be told from `context`, in time order (stable for equal times).
    ///
    /// Pure and repeatable: asked again with the same enrolment it gives the same occurrences with the same ids, so that
    /// a restart, a change of zone or a new fact is simply a new plan.
    func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence]
    /// What becomes due because of something that happened, now or later; empty where it does not listen for that.
    ///
    /// Pure and repeatable as well: what was raised stands in every later plan.
    func raised(by happening: StudyHappening, of task: StudyTask, in context: ScheduleContext) -> [Occurrence]
    /// Where a plan is made anew: whether a run that is open or over keeps the times it was given, an open one at most ending later.
    var keepsIssuedRuns: Bool { get }
    /// Whether a task that stays in the list leaves it when its occurrence expires.
    var closesWithOccurrence: Bool { get }
}

extension Schedule {
    /// Nothing: the clock alone decides.
    public func raised(by happening: StudyHappening, of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        []
    }
    /// False: times follow the plan.
    public var keepsIssuedRuns: Bool { false }
    /// False: it stays in the list for ever.
    public var closesWithOccurrence: Bool { false }
}

/// What a schedule may look at.
public struct ScheduleContext: Sendable {
    /// Whose plan it is: its arm, its local day and its seed decide.
    public let enrolment: Enrolment
    /// The zone of the participant's wall clock, now.
    public let zone: Zone
    /// Draws of this enrolment.
    public let chance: Chance
    /// What has happened so far.
    public let facts: StudyFacts

    public init(enrolment: Enrolment, zone: Zone, chance: Chance, facts: StudyFacts) {
        self.enrolment = enrolment
        self.zone = zone
        self.chance = chance
        self.facts = facts
    }
}

/// One participant's taking part in one study, from enrolment to withdrawal.
public struct Enrolment: Sendable, Hashable {
    /// Unique on this device; every stored row carries it.
    public let id: String
    /// The study's own identifier, as in `StudyProtocol.studyID`.
    public let studyID: String
    /// The participant's pseudonym as the platform writes it.
    public let participant: ParticipantID
    /// The arm drawn, nil where the study has none.
    public let condition: String?
    /// The moment of enrolment.
    public let instant: Instant
    /// What the participant's wall clock showed then.
    public let local: LocalDateTime
    /// 32 bytes from which every draw of this enrolment follows.
    public let seed: [UInt8]

    public init(
        id: String, studyID: String, participant: ParticipantID, condition: String?, instant: Instant,
        local: LocalDateTime, seed: [UInt8]
    ) {
        self.id = id
        self.studyID = studyID
        self.participant = participant
        self.condition = condition
        self.instant = instant
        self.local = local
        self.seed = seed
    }
}

/// A participant's pseudonym.
public struct ParticipantID: Sendable, Hashable {
    /// As on the wire: for schema the random user id that its app draws, unless one was given by hand.
    public let text: String
    public init(_ text: String) { self.text = text }
}
