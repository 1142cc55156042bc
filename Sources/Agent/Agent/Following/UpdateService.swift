// SPDX-License-Identifier: Apache-2.0
import Base
import Logging
import Study

/// Asks the enrolled study's server for news, repeatedly and at a command, and posts them to the loop, which decides
/// and writes the log. At each check `ProgressReports` reports the participant's progress.
///
/// - A need is what a person has to do before the server takes the progress; `status` shows it among the faults until
///   the server takes it.
/// - A refusal is why this board cannot run the version that the server offers; `status` shows it until the server has
///   another version.
/// - A fault is why a server could not be asked at one check; it is logged, and the next check comes sooner.
struct UpdateService: Service {
    private let database: StudyDatabase
    private let platforms: PlatformCatalog
    private let servers: StudyServers
    private let enroller: Enroller
    private let panel: Panel
    private let voice: SpeechVoice?
    private let stamps: EventClock
    private let mailbox: Mailbox
    private let log: Logger
    private let reportRefusal: @Sendable (String?) -> Void
    private let progress: ProgressReports
    private let consents: ConsentRenewal
    private let found = FoundUpdates()
    private let work: RepeatedWork

    /// Between two checks that something asked for.
    private static let leastPause = Duration.seconds(20)
    private static let pauseAfterFault = Duration.seconds(300)

    init(
        database: StudyDatabase, platforms: PlatformCatalog, enroller: Enroller, panel: Panel, stamps: EventClock,
        voice: SpeechVoice?, mailbox: Mailbox, log: Logger,
        reportNeed: @escaping @Sendable (Explanation?) -> Void = { _ in },
        reportRefusal: @escaping @Sendable (String?) -> Void = { _ in }
    ) {
        (self.database, self.platforms, self.enroller, self.panel) = (database, platforms, enroller, panel)
        (self.stamps, self.voice, self.mailbox, self.log) = (stamps, voice, mailbox, log)
        self.reportRefusal = reportRefusal
        servers = StudyServers(platforms, database, zone: stamps.zone)
        progress = ProgressReports(database, stamps, reportNeed: reportNeed)
        consents = ConsentRenewal(database, servers, enroller, stamps)
        work = RepeatedWork(clock: stamps.clock, leastPause: Self.leastPause)
    }

    func run() async throws {
        guard !servers.isEmpty else {
            await stopRequested()
            return
        }
        await cancelWhenStopped { await work.run { await checkAndReport() } }
    }

    /// Asks for a check soon: the network came back, a run was submitted, an enrolment began. Any
    /// thread; never blocks.
    func wake() { work.wake() }

    /// A server wants the participant's progress: every submitted run is news to it.
    var tellsProgress: Bool { servers.wantProgress }

    /// Records a consent in place of the enrolment's, once the study's server has taken it; says so.
    func record(_ consent: EnrolmentRequest.Consent) async throws -> String { try await consents.record(consent) }

    /// Checks at once, for a command. Returns what was found; throws it where a server could not be asked, or has a
    /// version that this board cannot run.
    func checkNow() async throws -> String {
        guard let state = try await database.latestEnrolment(), state.withdrawn == nil else {
            return "\(EnrolmentError.notEnrolled)"
        }
        guard !servers.isEmpty else {
            let tables = platforms.all.compactMap { type(of: $0).table }.map { "[\($0)]" }
            return
                "no \(tables.joined(separator: " or ")) table: updates are not checked for studies of other platforms; "
                + Self.noFollowing
        }
        let noServer = "this study has no server to check for updates"
        guard let server = servers[state.record] else { return "\(noServer); \(Self.noFollowing)" }
        guard let check = try await checkServer(state, server) else {
            if let lost = try await database.enrolmentWithoutStudy() { throw EnrolmentError.studyLost(lost.lostStudy) }
            return "\(server.reasonForNoNews(from: state.record.source) ?? noServer); \(Self.noFollowing)"
        }
        let refusal = found.refusal(of: state.record.id)
        // Some servers offer a refused version once only.
        let text = (check.lines + (check.refusal == nil ? [refusal].compactMap(\.self) : [])).joined(separator: "\n")
        guard check.news.faults.isEmpty, refusal == nil else { throw ControlFault(text) }
        return check.isEmpty ? "nothing new" : text
    }

    private static let noFollowing =
        "such a study does not follow a change: run 'studyd withdraw' and enrol again with the new file"

    /// One check; returns how long to wait until the next.
    private func checkAndReport() async -> Duration {
        var pause = servers.shortestInterval ?? Self.pauseAfterFault
        var name: String?
        do {
            guard let (state, server) = try await servers.latestEnrolment() else {
                await progress.clearNeed()
                reportRefusal(nil)
                return pause
            }
            name = state.record.platform
            pause = server.newsInterval ?? pause
            let check = try await checkServer(state, server)
            if check == nil { reportRefusal(nil) }
            try await progress.report(state, server)
            return check?.news.faults.isEmpty ?? true ? pause : min(pause, Self.pauseAfterFault)
        } catch {
            log.warning("\(name ?? "study")", metadata: ["fault": "\(error)"])
            return min(pause, Self.pauseAfterFault)
        }
    }

    /// Asks the server and posts what is new; nil where there is no study that it can be asked about.
    private func checkServer(_ state: EnrolmentState, _ server: any StudyServer) async throws -> StudyUpdateCheck? {
        let record = state.record
        guard let known = try await servers.known(state, server, refused: found.refusedVersion(of: record.id)) else {
            return nil
        }
        let check = try await ask(server, known, record)
        try await post(check, record)
        return check
    }

    private func ask(
        _ server: any StudyServer, _ known: KnownStudy, _ record: EnrolmentRecord
    ) async throws -> StudyUpdateCheck {
        try await onThread("studyd-follow") { [enroller, voice, panel] in
            let check = StudyUpdateCheck(
                server.news(since: known), since: known, on: panel, without: record.without ?? [])
            if let update = check.update { enroller.prepare(update.loaded.study, beside: known.study) }
            let words = Words(known.study, on: panel)
            for message in check.news.messages {
                for part in Cue.news(message.spoken).speech(in: words) { voice?.add(part) }
            }
            return check
        }
    }

    private func post(_ check: StudyUpdateCheck, _ record: EnrolmentRecord) async throws {
        let news = check.news
        for fault in news.faults { log.warning("\(record.platform)", metadata: ["fault": "\(fault)"]) }
        if let status = news.status {
            let isPaused = platforms[PlatformName(rawValue: record.platform)]?.isPause(status) ?? false
            mailbox.post(.followed(.studyStatus(status, isPaused: isPaused), of: record.id))
        }
        if news.hasNewConsent { mailbox.post(.remark(place: "study", message: StudyUpdateCheck.newConsent)) }
        for message in found.takeNew(news.messages, to: record.id) {
            // What was said before the enrolment is kept, but not announced.
            let isOld = message.date.map { $0 < record.instant } ?? false
            mailbox.post(
                .followed(.message(text: isOld ? nil : message.spoken, record: message.record), of: record.id))
        }
        if !news.values.isEmpty { mailbox.post(.followed(.variables(news.values), of: record.id)) }
        if !news.deleted.isEmpty { mailbox.post(.followed(.retired(news.deleted), of: record.id)) }
        // A server of ESMira gives a refused version again at every check.
        if let refusal = check.refusal, found.refuse(refusal.version, refusal.reason, of: record.id) {
            mailbox.post(
                .remark(place: "study", message: "version \(refusal.version) cannot be used: \(refusal.reason)"))
        }
        if check.refusal == nil, news.version != nil { found.accept(of: record.id) }
        reportRefusal(found.refusal(of: record.id))
        if let update = check.update {
            mailbox.post(.studyUpdate(update.loaded, version: update.version, of: record.id))
        } else if let version = news.version, check.refusal == nil {
            mailbox.post(.followed(.studyVersion(version.text), of: record.id))
        }
        if let version = news.consent {
            try await database.append(
                [.serverFact(name: ServerFact.consent, text: version)], at: stamps.stamp(record.id))
        }
    }
}
