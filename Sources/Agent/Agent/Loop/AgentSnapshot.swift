// SPDX-License-Identifier: Apache-2.0
import Study

/// What just happened, for the demo's drawing and the simulated participant.
package struct AgentSnapshot: Sendable {
    /// nil while no study is enrolled.
    package let conductor: StudyConductor?
    /// What the conductor wanted done about this event, in order.
    package let effects: [StudyConductor.Effect]
    /// Both clocks at the event.
    package let now: Moment
}
