// SPDX-License-Identifier: Apache-2.0
import Base

/// Reports a participant's progress to a server, again and again, for the agent's `ProgressReports`; remembers
/// what it sent. Blocks.
///
/// What is sent is the whole present state: a failure is made good by the next.
package protocol ProgressReporter: Sendable {
    /// The enrolment that the server has as under way; nil = not known.
    var joined: String? { get }
    /// The consent of that enrolment was recorded, and the server does not have it yet.
    var owesConsent: Bool { get }
    /// Reports what is new, and sends nothing where nothing is. `consent` is the latest that was recorded.
    /// `wasJoined` = by the log, the server knew the enrolment once: if the server has it as over, it is never begun
    /// again; `hasConsent` = by the log, no consent was owed to it at the last report.
    mutating func report(
        _ tasks: [TaskRuns], of study: StudyProtocol, enrolment: Enrolment, consent: JoinRequest.Consent?,
        wasJoined: Bool, hasConsent: Bool, at now: Instant) throws
    /// Tells once that the participant has left.
    mutating func leave(_ study: StudyProtocol, enrolment: Enrolment) throws
}
