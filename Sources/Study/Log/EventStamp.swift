// SPDX-License-Identifier: Apache-2.0
import Base

/// When and for whom something happened, by `EventClock`: the part of a row that is the same for every event of
/// one append.
package struct EventStamp: Sendable, Hashable {
    /// By the wall clock, right or wrong; `StudyEvent.anchored` rows say how far it can be trusted.
    package var wall: Instant
    /// CLOCK_MONOTONIC of the boot `bootID`.
    package var monotonic: MonotonicTime
    /// `/proc/sys/kernel/random/boot_id`, or a name for virtual time.
    package var bootID: String
    /// Seconds east of UTC in force.
    package var zoneOffset: Int
    /// The enrolment's id; empty before enrolment.
    package var enrolment: String

    package init(wall: Instant, monotonic: MonotonicTime, bootID: String, zoneOffset: Int, enrolment: String) {
        self.wall = wall
        self.monotonic = monotonic
        self.bootID = bootID
        self.zoneOffset = zoneOffset
        self.enrolment = enrolment
    }

    /// The same moment, of that enrolment.
    package func of(_ enrolment: String) -> EventStamp {
        var stamp = self
        stamp.enrolment = enrolment
        return stamp
    }
}
