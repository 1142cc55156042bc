// SPDX-License-Identifier: Apache-2.0
import Times

/// What a task does of itself when a run of it is submitted, before it is kept and sent. Platforms bring their own.
public protocol RunEnding: Sendable {
    /// Pure: `facts` hold the answers of the run, and the moment. The same facts give the same end.
    func end(_ facts: StudyFacts) -> RunEnd
}

/// What comes out of it.
public struct RunEnd: Sendable {
    /// Kept and sent with the run's own, under keys that no question has.
    public var answers: Answers = [:]
    /// Kept over runs.
    public var variables: [String: AnswerValue] = [:]

    /// Nothing.
    public init() {}
}

/// Where and when facts are looked at, for conditions that depend on it.
public struct FactSetting: Sendable, Hashable {
    /// Whose facts these are.
    public let enrolment: Enrolment
    /// Of the participant's wall clock.
    public let zone: Zone
    /// The moment of the look; a run's is that of its opening, and its submission.
    public var now: Instant

    /// Facts of that enrolment at that moment.
    public init(enrolment: Enrolment, zone: Zone, now: Instant) {
        self.enrolment = enrolment
        self.zone = zone
        self.now = now
    }
}
