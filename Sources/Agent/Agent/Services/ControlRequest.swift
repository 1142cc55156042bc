// SPDX-License-Identifier: Apache-2.0
import Study

/// What a command asks the running agent. The wire is `ControlLine`; a changed case or field raises
/// `ControlLine.version`.
package enum ControlRequest: Codable, Sendable, Hashable {
    /// What `studyd status` prints: for people or as one JSON object, with each item of the
    /// outbox or without.
    case status(json: Bool, uploads: Bool)
    /// What the agent says of itself to `studyd check`.
    case facts
    case enroll(request: EnrolmentRequest)
    /// `deletesUnsent` nil = as the platform does; `deletesData` nil = as the study says.
    case withdraw(deletesUnsent: Bool?, deletesData: Bool?)
    case outbox(order: OutboxOrder)
    case updateStudy
    /// Records a consent in place of the enrolment's.
    case recordConsent(consent: EnrolmentRequest.Consent)
    /// The participant looked at the graphs of their own answers.
    case graphs
    /// Times at which the participant is asked are moved, as `studyd schedule` writes them.
    case moveTimes(wishes: [String])
    /// What there is to say of the reward; its code is requested from the study's server once it is due.
    case reward

    /// True for what changes nothing, and is answered while something is changed.
    var isQuestion: Bool {
        switch self {
        case .status, .facts: true
        case .enroll, .withdraw, .outbox, .updateStudy, .recordConsent, .graphs, .moveTimes, .reward: false
        }
    }
}

/// What the running agent answers to a `ControlRequest`; the command prints `text` or `reason`.
package enum ControlAnswer: Codable, Sendable, Hashable {
    case done(text: String)
    case facts(facts: AgentFacts)
    /// What is wrong, where, and what to do.
    case refused(reason: String)
}

/// A request on its way to the service that answers it, with the way back.
package struct ControlCall: Sendable {
    package let request: ControlRequest
    /// When a wish to leave was confirmed on the panel; nil for a command.
    var confirmed: EventStamp?
    /// Sends the answer and ends the connection; call it once, from any thread.
    package let reply: @Sendable (ControlAnswer) -> Void
}
