// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Stamps the rows of the event log with both clocks, boot and offset; every part that writes to the log has a copy.
package struct EventClock: Sendable {
    /// Both clocks; `moment` reads them one right after the other.
    package let clock: any StudyClock
    /// The kernel's id of this boot: monotonic times of another boot mean something else.
    package let bootID: String
    /// The participant's time zone: each row has its offset from UTC at that moment.
    package let zone: Zone

    package init(clock: any StudyClock, bootID: String, zone: Zone) {
        (self.clock, self.bootID, self.zone) = (clock, bootID, zone)
    }

    package var moment: Moment { clock.look().moment }

    package func stamp(_ enrolment: String) -> EventStamp {
        let now = moment
        return EventStamp(
            wall: now.instant, monotonic: now.monotonic, bootID: bootID,
            zoneOffset: zone.period(at: now.instant).offset, enrolment: enrolment)
    }
}

extension StudyClock {
    /// Now, on both clocks, and how long reading them took.
    ///
    /// Read again where the thread was held up in between: a busy machine must not look like a
    /// clock step.
    func look() -> (moment: Moment, spread: Duration) {
        var best = reading
        for _ in 0..<4 where best.spread > .milliseconds(10) {
            let next = reading
            if next.spread < best.spread { best = next }
        }
        return best
    }

    private var reading: (moment: Moment, spread: Duration) {
        let before = monotonic
        let wall = now
        let spread = monotonic - before
        return (Moment(instant: wall, monotonic: before + spread / 2), spread)
    }
}
