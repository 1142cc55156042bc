// SPDX-License-Identifier: Apache-2.0
import Logging
import ServiceLifecycle
import Store
import StudyEngine
import StudyFormats
import StudyModel
import Synchronization
import Times

/// While a study of FDA MyStudies is taken part in: looks again and again how it stands at its servers, and tells the loop what is new.
///
/// What is new is decided upon by the loop alone, which also writes it to the log; here it is only found out.
struct MyStudiesFollower: Service {
    let database: StudyDatabase
    let settings: MyStudiesSettings
    let enroller: Enroller
    let panel: Panel
    let stamps: StampMaker
    let voice: SpeechVoice?
    let mailbox: Mailbox
    let log: Logger
    /// A second look may come before the log has what the first one found.
    private let told = FoundNews()
    private let work: RepeatedWork

    /// Between two looks that something asked for.
    static let leastPause = Duration.seconds(20)
    /// After a look at which a server was not there.
    static let pauseAfterFault = Duration.seconds(300)

    init(
        database: StudyDatabase, settings: MyStudiesSettings, enroller: Enroller, panel: Panel, stamps: StampMaker,
        voice: SpeechVoice?, mailbox: Mailbox, log: Logger
    ) {
        self.database = database
        self.settings = settings
        self.enroller = enroller
        self.panel = panel
        self.stamps = stamps
        self.voice = voice
        self.mailbox = mailbox
        self.log = log
        work = RepeatedWork(clock: stamps.clock, leastPause: Self.leastPause)
    }

    /// Has it look soon: the network came back, a run was submitted, somebody enrolled. Any thread; never blocks.
    func wake() { work.wake() }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var account = settings.registration.map { MyStudiesAccount($0, settings) }
            await work.run { await round(&account) }
        }
    }

    /// How long to wait for the next.
    private func round(_ account: inout MyStudiesAccount?) async -> Duration {
        do {
            guard let known = try await known() else {
                if let told = account { account = try await tell(told) }
                return settings.poll
            }
            let news = try await look(known)
            tell(news, known)
            if let told = account { account = try await tell(told) }
            return news.faults.isEmpty ? settings.poll : min(settings.poll, Self.pauseAfterFault)
        } catch {
            log.warning("mystudies", metadata: ["fault": "\(error)"])
            return min(settings.poll, Self.pauseAfterFault)
        }
    }

    /// Looks at once, and says what was found.
    func lookNow() async throws -> String {
        guard let known = try await known() else {
            return "this study has no server that is asked for news; [mystudies] metadata names one"
        }
        let news = try await look(known)
        tell(news, known)
        return news.isEmpty ? "nothing new" : news.lines.joined(separator: "\n")
    }

    private func look(_ known: MyStudiesKnown) async throws -> MyStudiesNews {
        let lookout = MyStudiesLookout(settings: settings, panel: panel, device: stamps.zone)
        return try await onThread("studyd-follow") { [enroller, voice] in
            let news = lookout.look(known)
            if let update = news.update { enroller.prepare(update.loaded.study, beside: known.study) }
            let words = Words(known.study, on: lookout.panel)
            for message in news.messages {
                for part in Cue.news(message.spoken).speech(in: words) { voice?.add(part) }
            }
            return news
        }
    }

    private func tell(_ news: MyStudiesNews, _ known: MyStudiesKnown) {
        for fault in news.faults { log.warning("mystudies", metadata: ["fault": "\(fault)"]) }
        if let status = news.status {
            mailbox.post(
                .followed(.studyStatus(status, isPaused: MyStudiesNews.isPause(status)), of: known.enrolment))
        }
        if news.hasNewConsent { mailbox.post(.remark(place: "study", message: MyStudiesNews.newConsent)) }
        for message in told.new(news.messages, to: known.enrolment) {
            // What was said before somebody took part is kept, and not told.
            let isOld = message.date.map { $0 < known.enrolled } ?? false
            mailbox.post(
                .followed(
                    .message(text: isOld ? nil : message.spoken, record: message.record), of: known.enrolment))
        }
        if !news.values.isEmpty { mailbox.post(.followed(.learned(news.values), of: known.enrolment)) }
        if !news.deleted.isEmpty { mailbox.post(.followed(.retired(news.deleted), of: known.enrolment)) }
        if let refusal = news.refusal {
            told.refuse(refusal.version)
            mailbox.post(
                .remark(place: "study", message: "version \(refusal.version) is not followed: \(refusal.reason)"))
        }
        if let update = news.update {
            mailbox.post(.studyUpdate(update.loaded, version: update.version, of: known.enrolment))
        } else if let version = news.version, news.refusal == nil {
            mailbox.post(.followed(.studyVersion(version), of: known.enrolment))
        }
    }

    /// Nil while no such study is taken part in, or nobody knows where to ask.
    private func known() async throws -> MyStudiesKnown? {
        guard let state = try await database.latestEnrolment(), state.withdrawn == nil,
            state.record.platform == StudyPlatform.mystudies.rawValue,
            let loaded = try await database.loadedStudy(state.record)
        else { return nil }
        let record = state.record
        let source = record.source.hasPrefix("http") ? record.source : nil
        guard let base = settings.metadata ?? source else { return nil }
        let seen = try await database.serverFacts(ServerFact.message, of: record.id).compactMap { fact in
            (try? JSONNode(Array(fact.text.utf8))).flatMap { MyStudiesServer.text($0["id"]) }
        }
        return MyStudiesKnown(
            enrolment: record.id, source: record.source, participant: record.participant, study: loaded.study,
            bytes: loaded.bytes,
            version: try await database.serverFact(ServerFact.version, of: record.id) ?? loaded.study.version ?? "1.0",
            refused: told.refusedVersion,
            status: try await database.serverFact(ServerFact.status, of: record.id) ?? "Active", messages: Set(seen),
            variables: try await database.facts(of: record.id).variables, enrolled: record.instant, base: base)
    }

    /// Tells the registration server how the participant stands.
    private func tell(_ account: MyStudiesAccount) async throws -> MyStudiesAccount {
        guard let state = try await database.latestEnrolment(), let enrolment = state.record.enrolment,
            state.record.platform == StudyPlatform.mystudies.rawValue,
            let loaded = try await database.loadedStudy(state.record)
        else { return account }
        if state.withdrawn != nil {
            return try await onThread("studyd-account") { [study = loaded.study] in
                var account = account
                try account.leave(study, enrolment: enrolment)
                return account
            }
        }
        let standings = try await database.standings(in: loaded.study, of: enrolment, stamps)
        return try await onThread("studyd-account") { [study = loaded.study] in
            var account = account
            try account.tell(standings, of: study, enrolment: enrolment)
            return account
        }
    }
}

/// What was found since the agent began, and is not to be found again.
private final class FoundNews: Sendable {
    private let ids = Mutex<Set<String>>([])
    private let refused = Mutex<String?>(nil)

    /// The version that this board cannot run; tried again after a restart, when the program may be another.
    var refusedVersion: String? { refused.withLock { $0 } }

    func refuse(_ version: String) { refused.withLock { $0 = version } }

    /// Those that are handed over to that enrolment for the first time.
    func new(_ messages: [MyStudiesServer.Message], to enrolment: String) -> [MyStudiesServer.Message] {
        ids.withLock { ids in messages.filter { ids.insert(enrolment + "/" + $0.id).inserted } }
    }
}

extension StudyDatabase {
    /// How a participant stands with every activity, by the present plan and what became of it.
    public func standings(
        in study: StudyProtocol, of enrolment: Enrolment, _ stamps: StampMaker
    ) throws -> [MyStudiesStanding] {
        let facts = try facts(of: enrolment.id)
        let context = ScheduleContext(
            enrolment: enrolment, zone: stamps.zone, chance: Chance(enrolmentSeed: enrolment.seed), facts: facts)
        let outcomes = try outcomes(of: enrolment.id)
        let begun = try begunOccurrences(of: enrolment.id)
        let submissions = try submissions(of: enrolment.id)
        let now = stamps.clock.now
        return study.tasks.map { task in
            let runs = task.schedule.occurrences(of: task, in: context)
            let current = runs.first { $0.due <= now && $0.expires.map { now < $0 } ?? true }
            return MyStudiesStanding(
                task, runs: runs.map { ($0, outcomes[$0.id]) }, submissions: submissions[task.key] ?? 0,
                isBegun: current.map { begun.contains($0.id) } ?? false, at: now)
        }
    }
}
