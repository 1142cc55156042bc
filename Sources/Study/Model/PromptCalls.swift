// SPDX-License-Identifier: Apache-2.0
import Base

/// How a prompt calls the participant, besides the signal when it is due: made by ESMira's schedule, for
/// `Scheduler`.
package struct PromptCalls: Sendable, Hashable {
    /// What the prompt says in place of its task's message; nil = the task's message.
    package var message: String?
    /// When the prompt is signalled again, in time order, unless its task was begun or it has ended.
    package var reminders: [Instant] = []
    /// From when on nothing signals it any more, though it may stay open; nil = until it ends.
    package var silentFrom: Instant?
    /// How long after its last signal it can be opened; nil = until it ends.
    package var openFor: Duration?
    /// From when on it is reported as planned to those who run the study, where they want such
    /// reports (`ReportWriter.tellsPlans`); nil = never.
    package var plannedFrom: Instant?

    package init() {}

    /// The same calls, that much later.
    package func moved(by shift: Duration) -> PromptCalls {
        var calls = self
        calls.reminders = reminders.map { $0 + shift }
        calls.silentFrom = silentFrom.map { $0 + shift }
        calls.plannedFrom = plannedFrom.map { $0 + shift }
        return calls
    }
}
