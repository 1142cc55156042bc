// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Tells a study's server the participant's progress, where it wants it. `UpdateService` alone calls it, one call after
/// the other.
actor ProgressReports {
    private let database: StudyDatabase
    private let stamps: EventClock
    private let reportNeed: @Sendable (Explanation?) -> Void
    private var reporters: [PlatformName: any ProgressReporter] = [:]

    init(_ database: StudyDatabase, _ stamps: EventClock, reportNeed: @escaping @Sendable (Explanation?) -> Void) {
        (self.database, self.stamps, self.reportNeed) = (database, stamps, reportNeed)
    }

    /// No enrolment has a server: there is nothing to do for it.
    func clearNeed() { reportNeed(nil) }

    func report(_ state: EnrolmentState, _ server: any StudyServer) async throws {
        let name = PlatformName(rawValue: state.record.platform)
        guard let reporter = reporters[name] ?? server.reporter(), let enrolment = state.record.enrolment,
            let loaded = try await database.loadedStudy(state.record)
        else { return }
        let study = loaded.study
        let end = try await database.progressEnd(of: state, on: loaded.platform, at: stamps.clock.now)
        let tasks =
            state.withdrawn == nil ? try await database.taskRuns(in: study, of: enrolment, stamps, at: end) : nil
        // A power cut may have kept the fact out of the log; a submission shows it as well.
        let wasJoined =
            try await database.serverFact(ServerFact.joined, of: enrolment.id) != nil
            || tasks?.contains { $0.submissions > 0 } ?? false
        let hasConsent = try await database.serverFact(ServerFact.owedConsent, of: enrolment.id) == ""
        let consent = try await database.consent(of: enrolment.id).recorded.map {
            JoinRequest.Consent(version: $0.version, sharing: $0.sharing)
        }
        let (used, fault) = try await onThread("studyd-account") {
            var reporter = reporter
            var fault: (any Error)?
            do {
                if let tasks {
                    try reporter.report(
                        tasks, of: study, enrolment: enrolment, consent: consent, wasJoined: wasJoined,
                        hasConsent: hasConsent, at: end)
                } else {
                    try reporter.leave(study, enrolment: enrolment)
                }
            } catch { fault = error }
            return (reporter, fault)
        }
        reporters[name] = used
        if used.joined == enrolment.id {
            var facts: [StudyEvent] = []
            if !wasJoined { facts.append(.serverFact(name: ServerFact.joined, text: "")) }
            if used.owesConsent == hasConsent {
                facts.append(.serverFact(name: ServerFact.owedConsent, text: used.owesConsent ? "owed" : ""))
            }
            if !facts.isEmpty { try await database.append(facts, at: stamps.stamp(enrolment.id)) }
        }
        note(fault, of: name)
        if let fault { throw fault }
    }

    /// A network that fails for a while says nothing of the account, and what lasts has a remedy.
    private func note(_ fault: (any Error)?, of platform: PlatformName) {
        guard let fault else { return reportNeed(nil) }
        let what = Explanation(fault)
        if !(fault is TransportError), what.remedy != nil {
            reportNeed(what.within("\(platform.rawValue): progress"))
        }
    }
}

extension StudyDatabase {
    /// What the log knows of the runs of an enrolment, all of the same moment.
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
    /// on another thread: the store's thread goes on to commit answers.
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
