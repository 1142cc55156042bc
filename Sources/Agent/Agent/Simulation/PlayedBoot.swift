// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// One boot of a `PlayedDevice`, planned by `MadeLife` of `studyd-tools`: a span in which it has power.
package struct PlayedBoot: Sendable {
    package let id: String
    package let length: Duration
    /// The power fails at the end of the boot; otherwise the agent is stopped in good order.
    package let isCut: Bool
    /// The zone of the participant's wall clock.
    package let zone: Zone
    /// How long after the start of the boot the wall clock becomes trusted; zero = at once.
    package let clockKnownAfter: Duration
    /// What the study's servers say, and how long after the start of the boot it arrives; in the order of time.
    package let news: [(after: Duration, event: StudyConductor.Event)]

    package init(
        id: String, length: Duration, isCut: Bool, zone: Zone, clockKnownAfter: Duration = .zero,
        news: [(after: Duration, event: StudyConductor.Event)] = []
    ) {
        (self.id, self.length, self.isCut) = (id, length, isCut)
        (self.zone, self.clockKnownAfter, self.news) = (zone, clockKnownAfter, news)
    }
}
