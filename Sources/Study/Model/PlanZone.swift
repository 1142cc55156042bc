// SPDX-License-Identifier: Apache-2.0

/// In which zone the times of day of a platform's schedules are read, for a participant who travels: `Planner`
/// gives each schedule the `ScheduleContext` of that zone.
package enum PlanZone: Sendable, Hashable {
    /// In that of the enrolment: each time is a moment that was fixed then, wherever the
    /// participant goes.
    case enrolment
    /// In that of the participant's wall clock: eight o'clock is eight o'clock, wherever that is.
    case participant
}
