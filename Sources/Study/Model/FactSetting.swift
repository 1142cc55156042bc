// SPDX-License-Identifier: Apache-2.0
import Base

/// Where and when facts are looked at, for conditions that depend on it: `ParticipantSchedule` gives it to
/// `StudyFacts`.
package struct FactSetting: Sendable, Hashable {
    package let enrolment: Enrolment
    /// Of the participant's wall clock.
    package let zone: Zone
    /// When they are looked at; for a run: when it was opened, and when it is submitted.
    package var now: Instant

    package init(enrolment: Enrolment, zone: Zone, now: Instant) {
        (self.enrolment, self.zone, self.now) = (enrolment, zone, now)
    }
}
