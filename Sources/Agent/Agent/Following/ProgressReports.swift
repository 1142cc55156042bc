// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reports the participant's progress to the study's server, where that wants it. `UpdateService` alone calls it, one
/// call after the other.
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

    /// Reports to the server of that enrolment, or leaves its study after a withdrawal. Throws why the server took
    /// nothing.
    func report(_ state: EnrolmentState, _ server: any StudyServer) async throws {
        let name = PlatformName(rawValue: state.record.platform)
        guard let reporter = reporters[name] ?? server.reporter(), let enrolment = state.record.enrolment,
            let loaded = try await database.loadedStudy(state.record)
        else { return }
        let known = try await loggedProgress(of: enrolment, in: loaded, state)
        let (used, fault) = try await onThread("studyd-account") {
            var reporter = reporter
            var fault: (any Error)?
            do { try known.report(by: &reporter, on: loaded.study, enrolment) } catch { fault = error }
            return (reporter, fault)
        }
        reporters[name] = used
        if used.joined == enrolment.id { try await keepFacts(of: used, known, enrolment.id) }
        note(fault, of: name)
        if let fault { throw fault }
    }

    private struct LoggedProgress: Sendable {
        /// Nil after a withdrawal.
        let tasks: [TaskRuns]?
        let consent: JoinRequest.Consent?
        /// The server has taken the participant, and the consent, before.
        let wasJoined: Bool
        let hasConsent: Bool
        let end: Instant

        func report(
            by reporter: inout any ProgressReporter, on study: StudyProtocol, _ enrolment: Enrolment
        ) throws {
            guard let tasks else { return try reporter.leave(study, enrolment: enrolment) }
            try reporter.report(
                tasks, of: study, enrolment: enrolment, consent: consent, wasJoined: wasJoined,
                hasConsent: hasConsent, at: end)
        }
    }

    private func loggedProgress(
        of enrolment: Enrolment, in loaded: LoadedStudy, _ state: EnrolmentState
    ) async throws -> LoggedProgress {
        let end = try await database.progressEnd(of: state, on: loaded.platform, at: stamps.clock.now)
        let tasks =
            state.withdrawn == nil
            ? try await database.taskRuns(in: loaded.study, of: enrolment, stamps, at: end) : nil
        // A power cut may have kept the fact out of the log; a submission shows it as well.
        let wasJoined =
            try await database.serverFact(ServerFact.joined, of: enrolment.id) != nil
            || tasks?.contains { $0.submissions > 0 } ?? false
        let consent = try await database.consent(of: enrolment.id).recorded.map {
            JoinRequest.Consent(version: $0.version, sharing: $0.sharing)
        }
        return LoggedProgress(
            tasks: tasks, consent: consent, wasJoined: wasJoined,
            hasConsent: try await database.serverFact(ServerFact.owedConsent, of: enrolment.id) == "", end: end)
    }

    /// Logs what the server has taken for the first time: the participant, and the consent.
    private func keepFacts(
        of reporter: any ProgressReporter, _ known: LoggedProgress, _ enrolment: String
    ) async throws {
        var facts: [StudyEvent] = []
        if !known.wasJoined { facts.append(.serverFact(name: ServerFact.joined, text: "")) }
        if reporter.owesConsent == known.hasConsent {
            facts.append(.serverFact(name: ServerFact.owedConsent, text: reporter.owesConsent ? "owed" : ""))
        }
        if !facts.isEmpty { try await database.append(facts, at: stamps.stamp(enrolment)) }
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
