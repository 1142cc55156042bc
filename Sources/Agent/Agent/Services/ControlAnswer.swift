// SPDX-License-Identifier: Apache-2.0

package enum ControlAnswer: Codable, Sendable, Hashable {
    case done(text: String)
    case facts(facts: AgentFacts)
    /// What is wrong, where, and what to do.
    case refused(reason: String)
}
