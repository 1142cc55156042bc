// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What the log knows of the runs of an enrolment, all of the same moment. For the progress that a study's server and
/// `status` get to know.
private struct KnownRuns: Sendable {
    let facts: StudyFacts
    let outcomes: [String: Outcome]
    let begun: Set<String>
    let submissions: [String: Int]
    /// Runs with numbers of earlier versions (`RunNumbering`) that ended by themselves or were done.
    let earlier: [Occurrence]

    /// Those of a task, each over by the time at which the numbers changed.
    func earlierRuns(of task: String, in zone: Zone) -> [Occurrence] {
        guard let numbering = facts.runNumbering(of: task) else { return [] }
        let change = zone.resolve(numbering.since).instant
        return earlier.filter { $0.task == task }.map { run in
            run.expiring(run.expires.map { min($0, change) } ?? change)
        }
    }
}

extension StudyDatabase {
    private func knownRuns(of enrolment: String) throws -> KnownRuns {
        let facts = try self.facts(of: enrolment)
        let views = facts.hasRunNumberings ? try occurrences(of: enrolment) : []
        let earlier = views.filter { view in
            let (id, task) = (view.occurrence.id, view.occurrence.task)
            guard let numbering = facts.runNumbering(of: task), !numbering.has(id, of: task) else { return false }
            return view.outcome != nil && view.outcome != .missed(.replaced) && !StudyEvent.isOfRule(id)
        }
        return KnownRuns(
            facts: facts, outcomes: try outcomes(of: enrolment), begun: try begunOccurrences(of: enrolment),
            submissions: try submissions(of: enrolment), earlier: earlier.map(\.occurrence))
    }

    /// When the participant's runs cease to count: now, or the moment they left, were refused by the server or had
    /// the study closed.
    func progressEnd(of state: EnrolmentState, on platform: any StudyPlatform, at now: Instant) throws -> Instant {
        let status = try serverFacts(ServerFact.status, of: state.record.id, limit: 1).last
        let closed = status.flatMap { platform.isClosed($0.text) ? $0.noted : nil }
        let refused = try serverFacts(ServerFact.refusal, of: state.record.id, limit: 1).last?.noted
        return [state.withdrawn, closed, refused].compactMap(\.self).reduce(now, min)
    }

    /// Every task with its runs, by earlier numbers and by the present plan, and their outcomes. Planned
    /// on another thread, so that the store's thread is free to commit answers.
    /// `end`: a moment that counts as the present; nil = now.
    package nonisolated func taskRuns(
        in study: StudyProtocol, of enrolment: Enrolment, _ stamps: EventClock, at end: Instant? = nil
    ) async throws -> [TaskRuns] {
        let known = try await knownRuns(of: enrolment.id)
        let now = end ?? stamps.clock.now
        return try await onThread("studyd-plan") {
            let context = ScheduleContext(
                enrolment: enrolment, zone: stamps.zone, chance: Chance(enrolmentSeed: enrolment.seed),
                facts: known.facts)
            return study.tasks.map { task in
                let runs = task.schedule.occurrences(of: task, in: context)
                let current = runs.first { $0.due <= now && $0.expires.map { now < $0 } ?? true }
                let all = known.earlierRuns(of: task.key, in: stamps.zone) + runs
                return TaskRuns(
                    task, runs: all.map { ($0, known.outcomes[$0.id]) },
                    submissions: known.submissions[task.key] ?? 0,
                    isBegun: current.map { known.begun.contains($0.id) } ?? false)
            }
        }
    }
}
