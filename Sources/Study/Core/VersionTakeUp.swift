// SPDX-License-Identifier: Apache-2.0
import Base

/// What `StudyCore` commits in the same transaction when an enrolment goes on with another version of its
/// study. Pure.
struct VersionTakeUp {
    private let old: ActiveStudy
    private let next: StudyProtocol
    /// A new draw, where the next version no longer has the participant's arm.
    private let draw: ChanceDraw?
    /// With the arm that was drawn.
    private let enrolment: Enrolment

    init(of update: PendingUpdate, after old: ActiveStudy) {
        self.old = old
        next = update.loaded.study
        var enrolment = old.encoder.context.enrolment
        draw = ChanceDraw.redrawnCondition(enrolment.condition, of: next, chance: old.conductor.planner.context.chance)
        if let draw { enrolment.condition = draw.result.isEmpty ? nil : draw.result }
        self.enrolment = enrolment
    }

    /// The reports that the next version itself asks for.
    func drafts(at now: Moment) -> [OutboxDraft] {
        let known = old.encoder.context
        var encoder = EventEncoder(
            context: WireContext(study: next, enrolment: enrolment, zone: known.zone, postURL: known.postURL))
        return encoder.drafts(.updated, at: now)
    }

    func events(at now: Moment) -> [StudyEvent] {
        let drawn = draw.map { [$0.event] } ?? []
        let notes = old.conductor.notes(takingUp: next.served(by: old.conductor.session.panel), at: now.instant)
            .flatMap(EventEncoder.events)
        return drawn + startEvents(at: now.instant) + notes + dueEvents(at: now.instant)
    }

    /// Prompts that are open and not in the log yet, so that they outlive the update, and from when
    /// the version counts.
    private func startEvents(at now: Instant) -> [StudyEvent] {
        guard next.startsWithVersion else { return [] }
        return old.conductor.unnoted.map { StudyEvent.prompted(occurrence: OccurrenceRecord($0)) }
            + [.variableSet(name: StudyFacts.versionVariable, value: .moment(now))]
    }

    /// The variable by which something in the next version becomes due by the update.
    private func dueEvents(at now: Instant) -> [StudyEvent] {
        let present = old.conductor.planner.context
        let planner = Planner(
            study: next,
            context: ScheduleContext(
                enrolment: enrolment, zone: present.zone, chance: present.chance,
                facts: old.conductor.scheduler.facts))
        let happening = StudyHappening(.updated, at: now)
        guard !planner.raised(by: happening).isEmpty else { return [] }
        return [.variableSet(name: happening.variable, value: .moment(happening.moment))]
    }
}
