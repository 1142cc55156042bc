// SPDX-License-Identifier: Apache-2.0
import Base

/// What a `Schedule` may look at; made together with a `Planner`, from the enrolment and the store's facts.
package struct ScheduleContext: Sendable {
    package let enrolment: Enrolment
    /// The zone in which times of day are read: for a schedule the one that its platform's
    /// `PlanZone` chooses, for all else that of the participant's wall clock now.
    package let zone: Zone
    package let chance: Chance
    package let facts: StudyFacts

    package init(enrolment: Enrolment, zone: Zone, chance: Chance, facts: StudyFacts) {
        (self.enrolment, self.zone, self.chance, self.facts) = (enrolment, zone, chance, facts)
    }

    package func inZone(of rule: PlanZone) -> ScheduleContext {
        switch rule {
        case .participant: self
        case .enrolment: ScheduleContext(enrolment: enrolment, zone: enrolment.zone, chance: chance, facts: facts)
        }
    }
}
