// SPDX-License-Identifier: Apache-2.0
import PlatformKit

/// What a command asks the running agent. The wire is `ControlLine`; whoever changes a case or a field raises `ControlVersion.own`.
package enum ControlRequest: Codable, Sendable, Hashable {
    /// What `studyd status` prints: for people or as one JSON object, with each item of the outbox or without.
    case status(json: Bool, uploads: Bool)
    /// What the agent says of itself to `studyd check`.
    case facts
    case enroll(request: EnrolmentRequest)
    /// nil = as the platform does; nil = as the study says.
    case withdraw(deletesUnsent: Bool?, deletesData: Bool?)
    case outbox(order: OutboxOrder)
    /// Asks the study's servers at once.
    case updateStudy
    /// The participant looked at the graphs of their own answers.
    case graphs
    /// Times at which the participant is asked are moved, as `studyd schedule` writes them.
    case moveTimes(wishes: [String])
    /// The code for the reward.
    case reward

    /// True for what changes nothing, and is answered while something is changed.
    var isQuestion: Bool {
        switch self {
        case .status, .facts: true
        case .enroll, .withdraw, .outbox, .updateStudy, .graphs, .moveTimes, .reward: false
        }
    }
}

/// What the agent answers.
package enum ControlAnswer: Codable, Sendable, Hashable {
    /// What the command prints.
    case done(text: String)
    case facts(facts: AgentFacts)
    /// What is wrong, where, and what to do.
    case refused(reason: String)
}

/// The version of requests and answers: who speaks another one is told which end is older.
package enum ControlVersion {
    /// 2 left out no tasks and moved no times; 1 was a verb with options and had no number.
    package static let own = 3

    /// What a command says that got an answer of that version; nil where it is our own.
    static func remark(ofAgent version: Int?) -> String? {
        switch version ?? 1 {
        case own: nil
        case ..<own:
            "the running studyd is older than this command: restart it (systemctl restart studyd), then try again; nothing was changed"
        default:
            "this command is older than the running studyd: use the same version; nothing was changed"
        }
    }

    /// What an agent answers to a command of that version; nil where it is our own.
    static func remark(ofCommand version: Int?) -> String? {
        switch version ?? 1 {
        case own: nil
        case ..<own:
            "this command is older than the running studyd: use the same version; nothing was changed"
        default:
            "the running studyd is older than this command: restart it (systemctl restart studyd), then try again; nothing was changed"
        }
    }
}
