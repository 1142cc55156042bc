// SPDX-License-Identifier: Apache-2.0
import Base
import Logging
import Study
import Synchronization

/// During an enrolment with servers to ask: asks repeatedly how the enrolment is, tells the loop
/// what is new, and has `ProgressReports` tell the servers the participant's progress.
///
/// What is new is decided upon by the loop alone, which also writes it to the log; here it
/// is only found out.
struct UpdateService: Service {
    private let database: StudyDatabase
    private let platforms: PlatformCatalog
    private let enroller: Enroller
    private let panel: Panel
    private let stamps: EventClock
    private let voice: SpeechVoice?
    private let mailbox: Mailbox
    private let log: Logger
    private let reportNeed: @Sendable (Explanation?) -> Void
    private let reportRefusal: @Sendable (String?) -> Void
    private let servers: [PlatformName: any StudyServer]
    /// Keeps news from being handed to the loop twice: a second look may come before the log has what the first
    /// one found.
    private let found = FoundUpdates()
    private let work: RepeatedWork

    /// Between two looks that something asked for.
    private static let leastPause = Duration.seconds(20)
    /// After a look at which a server did not answer.
    private static let pauseAfterFault = Duration.seconds(300)

    init(
        database: StudyDatabase, platforms: PlatformCatalog, enroller: Enroller, panel: Panel, stamps: EventClock,
        voice: SpeechVoice?, mailbox: Mailbox, log: Logger,
        reportNeed: @escaping @Sendable (Explanation?) -> Void = { _ in },
        reportRefusal: @escaping @Sendable (String?) -> Void = { _ in }
    ) {
        (self.database, self.platforms, self.enroller, self.panel) = (database, platforms, enroller, panel)
        (self.stamps, self.voice, self.mailbox, self.log) = (stamps, voice, mailbox, log)
        (self.reportNeed, self.reportRefusal) = (reportNeed, reportRefusal)
        servers = platforms.all.reduce(into: [:]) { servers, platform in
            guard let server = platform.server(over: StudyConnection()), server.newsInterval != nil else { return }
            servers[platform.name] = server
        }
        work = RepeatedWork(clock: stamps.clock, leastPause: Self.leastPause)
    }

    /// Has it look soon: the network came back, a run was submitted, an enrolment began. Any
    /// thread; never blocks.
    func wake() { work.wake() }

    /// A server wants the participant's progress: every submitted run is news to it.
    var tellsProgress: Bool { servers.values.contains { $0.reporter() != nil } }

    func run() async throws {
        guard !servers.isEmpty else {
            await stopRequested()
            return
        }
        await cancelWhenStopped {
            var progress = ProgressReports(database, stamps, reportNeed: reportNeed)
            await work.run { await lookOnce(&progress) }
        }
    }

    /// Looks once; returns how long to wait until the next look.
    private func lookOnce(_ progress: inout ProgressReports) async -> Duration {
        var pause = servers.values.compactMap(\.newsInterval).min() ?? Self.pauseAfterFault
        var name: PlatformName?
        do {
            guard let (state, server) = try await latestEnrolmentAndServer() else {
                reportNeed(nil)
                reportRefusal(nil)
                return pause
            }
            name = PlatformName(rawValue: state.record.platform)
            pause = server.newsInterval ?? pause
            var isWhole = true
            if let known = try await knownStudy(state, server) {
                let found = try await check(known, server, state.record)
                try await report(found, state.record)
                isWhole = found.news.faults.isEmpty
            } else {
                reportRefusal(nil)
            }
            try await progress.report(state, server)
            return isWhole ? pause : min(pause, Self.pauseAfterFault)
        } catch {
            log.warning("\(name?.rawValue ?? "study")", metadata: ["fault": "\(error)"])
            return min(pause, Self.pauseAfterFault)
        }
    }

    private static let noFollowing =
        "such a study does not follow a change: run 'studyd withdraw' and enrol again with the new file"

    /// Looks at once, and says what was found: as an error where a server could not be asked, or has a version that
    /// this board cannot run.
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
        guard let server = servers[PlatformName(rawValue: state.record.platform)] else {
            return "\(noServer); \(Self.noFollowing)"
        }
        guard let known = try await knownStudy(state, server) else {
            if let lost = try await database.enrolmentWithoutStudy() { throw EnrolmentError.studyLost(lost.lostStudy) }
            return "\(server.reasonForNoNews(from: state.record.source) ?? noServer); \(Self.noFollowing)"
        }
        let found = try await check(known, server, state.record)
        try await report(found, state.record)
        let refusal = self.found.refusal(of: state.record.id)
        // Some servers offer a refused version once only.
        let text = (found.lines + (found.refusal == nil ? [refusal].compactMap(\.self) : [])).joined(separator: "\n")
        guard found.news.faults.isEmpty, refusal == nil else { throw ControlFault(text) }
        return found.isEmpty ? "nothing new" : text
    }

    private func check(
        _ known: KnownStudy, _ server: any StudyServer, _ record: EnrolmentRecord
    ) async throws -> StudyUpdateCheck {
        try await onThread("studyd-follow") { [enroller, voice, panel] in
            let found = StudyUpdateCheck(
                server.news(since: known), since: known, on: panel, without: record.without ?? [])
            if let update = found.update { enroller.prepare(update.loaded.study, beside: known.study) }
            let words = Words(known.study, on: panel)
            for message in found.news.messages {
                for part in Cue.news(message.spoken).speech(in: words) { voice?.add(part) }
            }
            return found
        }
    }

    private func report(_ found: StudyUpdateCheck, _ record: EnrolmentRecord) async throws {
        let news = found.news
        for fault in news.faults { log.warning("\(record.platform)", metadata: ["fault": "\(fault)"]) }
        if let status = news.status {
            let isPaused = platforms[PlatformName(rawValue: record.platform)]?.isPause(status) ?? false
            mailbox.post(.followed(.studyStatus(status, isPaused: isPaused), of: record.id))
        }
        if news.hasNewConsent { mailbox.post(.remark(place: "study", message: StudyUpdateCheck.newConsent)) }
        for message in self.found.takeNew(news.messages, to: record.id) {
            // What was said before the enrolment is kept, but not announced.
            let isOld = message.date.map { $0 < record.instant } ?? false
            mailbox.post(
                .followed(.message(text: isOld ? nil : message.spoken, record: message.record), of: record.id))
        }
        if !news.values.isEmpty { mailbox.post(.followed(.variables(news.values), of: record.id)) }
        if !news.deleted.isEmpty { mailbox.post(.followed(.retired(news.deleted), of: record.id)) }
        // A server of ESMira gives a refused version again at every look.
        if let refusal = found.refusal, self.found.refuse(refusal.version, refusal.reason, of: record.id) {
            mailbox.post(
                .remark(place: "study", message: "version \(refusal.version) cannot be used: \(refusal.reason)"))
        }
        if found.refusal == nil, news.version != nil { self.found.accept(of: record.id) }
        reportRefusal(self.found.refusal(of: record.id))
        if let update = found.update {
            mailbox.post(.studyUpdate(update.loaded, version: update.version, of: record.id))
        } else if let version = news.version, found.refusal == nil {
            mailbox.post(.followed(.studyVersion(version.text), of: record.id))
        }
        if let version = news.consent {
            try await database.append(
                [.serverFact(name: ServerFact.consent, text: version)], at: stamps.stamp(record.id))
        }
    }

    /// No call of the servers changes the choice that was sent with the enrolment.
    private static let keptSharing =
        "; the server that takes the answers keeps the enrolment's choice of \"sharing\": tell the study team"

    /// Records a consent in place of the enrolment's, once the study's servers have taken it; says so.
    func record(_ consent: EnrolmentRequest.Consent) async throws -> String {
        let given = try ConsentRecord(parsing: Array(consent.text.utf8), file: consent.file)
        try enroller.refuseLater(given)
        guard let (state, server) = try await latestEnrolmentAndServer(),
            let known = try await knownStudy(state, server)
        else {
            throw ControlFault("there is no enrolment with a server that asks for a consent; nothing was recorded")
        }
        try await onThread("studyd-consent") { try server.renew(given.asked, of: known) }
        let before = try await database.consent(of: state.record.id).recorded?.sharing ?? "NA"
        try await database.append(
            [
                .serverFact(name: ServerFact.consent, text: given.version),
                .consented(name: "consent", version: given.version, choice: given.choice(otherwise: before)),
            ], at: stamps.stamp(state.record.id))
        let isKept = given.asked.sharing.map { $0 == before } ?? true
        return "recorded: consent to version \(given.version)" + (isKept ? "" : Self.keptSharing)
    }

    /// The latest enrolment, with the servers of its platform; nil where there is none, or
    /// none that is asked.
    private func latestEnrolmentAndServer() async throws -> (EnrolmentState, any StudyServer)? {
        guard let state = try await database.latestEnrolment(),
            let server = servers[PlatformName(rawValue: state.record.platform)]
        else { return nil }
        return (state, server)
    }

    /// Nil without an enrolment, or without a server to ask.
    private func knownStudy(_ state: EnrolmentState, _ server: any StudyServer) async throws -> KnownStudy? {
        guard state.withdrawn == nil, server.reasonForNoNews(from: state.record.source) == nil else { return nil }
        return try await database.known(
            state.record, refused: found.refusedVersion(of: state.record.id), zone: stamps.zone)
    }
}

/// What was found since the agent began, and is not to be found again.
final class FoundUpdates: Sendable {
    private let ids = Mutex<Set<String>>([])
    private let refused = Mutex<[String: (version: String, reason: String)]>([:])

    /// The version of that enrolment's study that this board cannot run; tried again after a restart, when
    /// the program may be another.
    func refusedVersion(of enrolment: String) -> String? { refused.withLock { $0[enrolment]?.version } }

    /// The same in words.
    func refusal(of enrolment: String) -> String? {
        refused.withLock { $0[enrolment].map { StudyUpdateCheck.line($0.version, $0.reason) } }
    }

    /// Notes that this board cannot run that version; true where the last one refused was another.
    func refuse(_ version: String, _ reason: String, of enrolment: String) -> Bool {
        refused.withLock { $0.updateValue((version, reason), forKey: enrolment)?.version != version }
    }

    /// The server has another version by now.
    func accept(of enrolment: String) { refused.withLock { $0[enrolment] = nil } }

    func takeNew(_ messages: [StudyMessage], to enrolment: String) -> [StudyMessage] {
        ids.withLock { ids in messages.filter { ids.insert(enrolment + "/" + $0.id).inserted } }
    }
}

extension StudyDatabase {
    /// What is known of a study of a present or past enrolment; nil where its file is gone.
    func known(_ record: EnrolmentRecord, refused: String? = nil, zone: Zone) async throws -> KnownStudy? {
        guard let loaded = try await loadedStudy(record) else { return nil }
        let seen = try serverFacts(ServerFact.message, of: record.id).compactMap { StudyMessage.id(in: $0.text) }
        return KnownStudy(
            source: record.source, participant: record.participant, study: loaded.study, bytes: loaded.bytes,
            version: try serverFact(ServerFact.version, of: record.id), refused: refused,
            status: try serverFact(ServerFact.status, of: record.id), messages: Set(seen),
            variables: try facts(of: record.id).variables, zone: zone,
            consent: try serverFact(ServerFact.consent, of: record.id),
            hasConsented: try consent(of: record.id).recorded != nil)
    }
}
