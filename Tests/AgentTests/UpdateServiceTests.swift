// SPDX-License-Identifier: Apache-2.0
import Base
import Logging
import PlatformSchema
import Simulation
import Study
import Synchronization
import SystemKit
import Testing

@testable import Agent

@Suite(.timeLimit(.minutes(10))) struct UpdateServiceTests {
    private static func enroller(_ database: StudyDatabase, _ stamps: EventClock) throws -> Enroller {
        Enroller(
            database: database, panel: try AgentFixture.panel(AgentFixture.panels[2]), zone: .utc, stamps: stamps,
            media: MediaCache(folder: "/tmp/studyd-no-media"))
    }

    private static func service(
        _ database: StudyDatabase, _ stamps: EventClock, _ platforms: PlatformCatalog, view: SharedState = SharedState()
    ) throws -> UpdateService {
        UpdateService(
            database: database, platforms: platforms, enroller: try enroller(database, stamps),
            panel: try AgentFixture.panel(AgentFixture.panels[2]), stamps: stamps, voice: nil, mailbox: Mailbox(),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            reportNeed: { need in view.change { $0.progressNeed = need } },
            reportRefusal: { words in view.change { $0.updateRefusal = words } })
    }

    /// With a server that hears of the participant's progress.
    private struct HeardPlatform: ServedSchema {
        static let title = "heard"
        /// What each report said: whether the server knew the enrolment, and whether it had the consent.
        static let reports = Mutex<[[Bool]]>([])

        /// With a server that has the consent after the second report, and loses it again.
        struct Reporter: ProgressReporter {
            var joined: String?
            var owesConsent = false

            mutating func report(
                _ tasks: [TaskRuns], of study: StudyProtocol, enrolment: Enrolment, consent: JoinRequest.Consent?,
                wasJoined: Bool, hasConsent: Bool, at now: Instant
            ) throws {
                HeardPlatform.reports.withLock { $0.append([wasJoined, hasConsent]) }
                (joined, owesConsent) = (enrolment.id, !wasJoined || hasConsent)
                throw TransportError(kind: .other, url: "", message: "the progress did not arrive")
            }
            mutating func leave(_ study: StudyProtocol, enrolment: Enrolment) throws {}
        }

        func reporter() -> (any ProgressReporter)? { Reporter() }
    }

    /// With a server that answers progress as the present enrolment's participant says: `Refused`, `Offline`, `Busy`.
    private struct RefusingPlatform: ServedSchema {
        static let title = "refusing"

        struct Reporter: ProgressReporter {
            let joined: String? = nil
            let owesConsent = false

            func report(
                _ tasks: [TaskRuns], of study: StudyProtocol, enrolment: Enrolment, consent: JoinRequest.Consent?,
                wasJoined: Bool, hasConsent: Bool, at now: Instant
            ) throws {
                switch enrolment.participant.text {
                case "Refused": throw PlatformServerError("the login was refused", at: "S", remedy: "check [x]")
                case "Busy": throw PlatformServerError("the server answered with status 503", at: "S")
                case "Offline": throw TransportError(kind: .timeout, url: "S", message: "no answer")
                default: break
                }
            }
            func leave(_ study: StudyProtocol, enrolment: Enrolment) throws {}
        }

        func reporter() -> (any ProgressReporter)? { Reporter() }
    }

    /// A participant's progress is in no outbox: what is wrong with the account shows among the faults. A server that
    /// cannot be reached neither begins nor ends that.
    @Test(
        arguments: [
            ("Refused", true, true), ("Refused", false, true), ("Offline", true, true), ("Offline", false, false),
            ("Busy", true, true), ("Busy", false, false), ("Taken", true, false), ("Taken", false, false),
            (nil, true, false),
        ] as [(String?, Bool, Bool)])
    func aRefusedAccountIsAFaultUntilTheProgressIsTaken(_ answer: String?, _ before: Bool, _ after: Bool) async throws {
        let clock = VirtualClock(now: Instant(seconds: 1_774_000_000))
        let database = try StudyDatabase(.memory)
        let stamps = EventClock(clock: clock, bootID: "boot", zone: .utc)
        if let answer {
            let study = try LoadedStudy(AgentFixture.protocolText(days: 3, times: [(9, 0)]), origin: "generated.json")
            _ = try await Self.enroller(database, stamps)
                .enrol(EnrolmentOptions(loaded: study, participant: answer, seed: 3))
        }
        let need = Explanation(place: "schema: progress: S", cause: "the login was refused", remedy: "check [x]")
        let view = SharedState()
        if before { view.change { $0.progressNeed = need } }
        let service = try Self.service(database, stamps, PlatformCatalog([RefusingPlatform.self]), view: view)
        let running = Task { try await service.run() }
        await clock.whenSleeping(2)
        running.cancel()
        _ = await running.result
        #expect(view.now.faults == (after ? [need] : []))
    }

    /// With a server whose study asks for version 2.0 of its consent.
    private struct ConsentPlatform: ServedSchema {
        static let title = "consent"

        func reasonForNoNews(from source: String) -> String? { nil }
        func news(since known: KnownStudy) -> ServerUpdate {
            var news = ServerUpdate()
            if known.consent != "2.0" { (news.consent, news.hasNewConsent) = ("2.0", true) }
            return news
        }
        func renew(_ consent: JoinRequest.Consent, of known: KnownStudy) throws {
            guard consent.version == "2.0" else { throw PlatformServerError("the study's consent is version 2.0") }
            guard known.hasConsented || consent.sharing != nil else { throw PlatformServerError("choose") }
        }
    }

    /// With a server that answers those called `Heard` alone.
    private struct DeafPlatform: ServedSchema {
        static let title = "deaf"

        func reasonForNoNews(from source: String) -> String? { nil }
        func news(since known: KnownStudy) -> ServerUpdate {
            var news = ServerUpdate()
            if known.participant != "Heard" { news.faults = ["S: no answer"] }
            return news
        }
    }

    /// `studyd update-study` ends with 1 then.
    @Test(arguments: [("Heard", "nothing new"), ("Unheard", nil)] as [(String, String?)])
    func whereTheServerCouldNotBeAskedALookFails(_ participant: String, _ text: String?) async throws {
        let stamps = EventClock(clock: VirtualClock(now: Instant(seconds: 1_774_000_000)), bootID: "boot", zone: .utc)
        let database = try StudyDatabase(.memory)
        let service = try Self.service(database, stamps, PlatformCatalog([DeafPlatform.self]))
        let study = try LoadedStudy(AgentFixture.protocolText(days: 3, times: [(9, 0)]), origin: "generated.json")
        _ = try await Self.enroller(database, stamps)
            .enrol(EnrolmentOptions(loaded: study, participant: participant, seed: 3))
        if let text { return #expect(try await service.checkNow() == text) }
        let fault = await #expect(throws: ControlFault.self) { try await service.checkNow() }
        #expect(fault?.description == "not asked: S: no answer")
    }

    /// With a server that offers a version that cannot be read, once, and afterwards a sound one.
    private struct SpoiltPlatform: ServedSchema {
        static let title = "spoilt"
        static let isMended = Mutex(false)

        func reasonForNoNews(from source: String) -> String? { nil }
        func news(since known: KnownStudy) -> ServerUpdate {
            var news = ServerUpdate()
            if Self.isMended.withLock({ $0 }) {
                news.version = ServerUpdate.Version("3", bytes: known.bytes)
            } else if known.refused != "2" {
                news.version = ServerUpdate.Version("2", bytes: Array("{".utf8))
            }
            return news
        }
    }

    /// Whoever updates many devices sees by the exit status that one of them did not follow, at every look.
    @Test func aVersionThatThisBoardCannotRunIsAFailureUntilThereIsAnother() async throws {
        let stamps = EventClock(clock: VirtualClock(now: Instant(seconds: 1_774_000_000)), bootID: "boot", zone: .utc)
        let (database, view) = (try StudyDatabase(.memory), SharedState())
        let service = try Self.service(database, stamps, PlatformCatalog([SpoiltPlatform.self]), view: view)
        let study = try LoadedStudy(AgentFixture.protocolText(days: 3, times: [(9, 0)]), origin: "generated.json")
        _ = try await Self.enroller(database, stamps)
            .enrol(EnrolmentOptions(loaded: study, participant: "P-1", seed: 3))
        let status = StatusReader(database: database, view: view, stamps: stamps, folder: "/tmp")
        for _ in 1...2 {
            let fault = await #expect(throws: ControlFault.self) { try await service.checkNow() }
            let words = try #require(fault?.description)
            #expect(words.hasPrefix("version 2 cannot be run on this board: "))
            #expect(view.now.updateRefusal == words)
            #expect(try await status.text(json: false, uploads: false).contains("update      version 2 cannot be run"))
        }
        SpoiltPlatform.isMended.withLock { $0 = true }
        #expect(try await service.checkNow() == "nothing new")
        #expect(view.now.updateRefusal == nil)
        #expect(try await !status.text(json: true, uploads: false).contains("updateRefused"))
    }

    @Test func ofAStudyThatDoesNotFollowAChangeItIsSaidWhatToDo() async throws {
        let stamps = EventClock(clock: VirtualClock(now: Instant(seconds: 1_774_000_000)), bootID: "boot", zone: .utc)
        let database = try StudyDatabase(.memory)
        // Without a server to ask, with those of other platforms, and of a study that came from a file.
        let catalogs = [PlatformCatalog([SchemaPlatform.self]), .standard, PlatformCatalog([HeardPlatform.self])]
        func expectSaid(_ end: String) async throws {
            for platforms in catalogs {
                let said = try await Self.service(database, stamps, platforms).checkNow()
                #expect(said.hasSuffix(end), "\(said)")
            }
        }
        let notEnrolled = "\(EnrolmentError.notEnrolled)"
        try await expectSaid(notEnrolled)
        let study = try LoadedStudy(AgentFixture.protocolText(days: 3, times: [(9, 0)]), origin: "generated.json")
        let record = try await Self.enroller(database, stamps)
            .enrol(EnrolmentOptions(loaded: study, participant: "P-1", seed: 3))
        try await expectSaid("run 'studyd withdraw' and enrol again with the new file")
        try await database.withdraw(deletesUnsent: false, sending: [], at: stamps.stamp(record.id))
        try await expectSaid(notEnrolled)
    }

    private static func consent(_ version: String, _ more: String = "") -> EnrolmentRequest.Consent {
        .init(
            text: #"{"version":"\#(version)","recordedBy":"A. Nurse","eligible":true\#(more)}"#, file: "consent.json")
    }

    @Test func aChangedConsentIsSaidUntilTheNewOneIsRecorded() async throws {
        let clock = VirtualClock(now: Instant(seconds: 1_774_000_000))
        let database = try StudyDatabase(.memory)
        let stamps = EventClock(clock: clock, bootID: "boot", zone: .utc)
        let service = try Self.service(database, stamps, PlatformCatalog([ConsentPlatform.self]))
        let study = try LoadedStudy(AgentFixture.protocolText(days: 3, times: [(9, 0)]), origin: "generated.json")
        var options = EnrolmentOptions(loaded: study, participant: "P-1", seed: 3)
        let first = Self.consent("1.0", #","sharing":"true""#)
        options.consent = try ConsentRecord(parsing: Array(first.text.utf8), file: first.file)
        options.consentVersion = "1.0"
        let record = try await Self.enroller(database, stamps).enrol(options)
        #expect(try await database.consent(of: record.id).problem == nil)

        #expect(try await service.checkNow() == StudyUpdateCheck.newConsent)
        #expect(try await service.checkNow() == "nothing new")
        let status = StatusReader(database: database, view: nil, stamps: stamps, folder: "/tmp")
        let words = "consent     the recorded consent is version 1.0, and the study's is version 2.0"
        #expect(try await status.text(json: false, uploads: false).contains(words))
        #expect(try await status.text(json: true, uploads: false).contains("consentDue"))

        await #expect(throws: PlatformServerError.self) { try await service.record(Self.consent("1.5")) }
        let late = Self.consent("2.0", #","date":"2026-03-21""#)
        await #expect(throws: FileError.self) { try await service.record(late) }
        #expect(try await database.consent(of: record.id).recorded?.version == "1.0")
        #expect(try await service.record(Self.consent("2.0")).contains("version 2.0"))
        let consent = try await database.consent(of: record.id)
        #expect(consent.problem == nil && consent.recorded?.version == "2.0")
        #expect(consent.recorded?.sharing == "true", "a choice that is not made again stays")
        #expect(try await !status.text(json: false, uploads: false).contains("consent     "))
    }

    /// The enrolment had none: the server hears that it is the first.
    @Test func theFirstConsentIsKnownAsOne() async throws {
        let stamps = EventClock(clock: VirtualClock(now: Instant(seconds: 1_774_000_000)), bootID: "boot", zone: .utc)
        let database = try StudyDatabase(.memory)
        let service = try Self.service(database, stamps, PlatformCatalog([ConsentPlatform.self]))
        let study = try LoadedStudy(AgentFixture.protocolText(days: 3, times: [(9, 0)]), origin: "generated.json")
        _ = try await Self.enroller(database, stamps)
            .enrol(EnrolmentOptions(loaded: study, participant: "P-1", seed: 3))
        await #expect(throws: PlatformServerError.self) { try await service.record(Self.consent("2.0")) }
        // None was sent when the participant enrolled.
        let choices = [("true", true), ("true", false), (nil, false), ("false", true), ("true", true)]
        for (choice, isOther) in choices as [(String?, Bool)] {
            let said = try await service.record(Self.consent("2.0", choice.map { #","sharing":"\#($0)""# } ?? ""))
            #expect(said.contains("keeps the enrolment's choice") == isOther, "\(said)")
        }
    }

    @Test func ofALostStudyItIsSaidHowToGetItBack() async throws {
        let stamps = EventClock(clock: VirtualClock(now: Instant(seconds: 1_774_000_000)), bootID: "boot", zone: .utc)
        let database = try StudyDatabase(.memory)
        let service = try Self.service(database, stamps, PlatformCatalog([HeardPlatform.self]))
        let study = try LoadedStudy(AgentFixture.protocolText(days: 3, times: [(9, 0)]), origin: "generated.json")
        let record = try await Self.enroller(database, stamps)
            .enrol(EnrolmentOptions(loaded: study, participant: "P-1", seed: 3))
        try await database.loseStudyFiles()
        let error = await #expect(throws: EnrolmentError.self) { try await service.checkNow() }
        #expect(error == .studyLost(record.lostStudy))
    }

    @Test func withoutAnEnrolmentNoConsentIsRecorded() async throws {
        let stamps = EventClock(clock: VirtualClock(now: Instant(seconds: 1_774_000_000)), bootID: "boot", zone: .utc)
        let database = try StudyDatabase(.memory)
        let service = try Self.service(database, stamps, PlatformCatalog([ConsentPlatform.self]))
        await #expect(throws: ControlFault.self) { try await service.record(Self.consent("2.0")) }
        #expect(try await database.events(kind: "consented").isEmpty)
    }

    /// What a reporter remembers ends with the agent; a participant who leaves at the server meanwhile has to be told
    /// from one who was never there.
    @Test func aRestartKnowsWhatTheServerKnewOfTheEnrolment() async throws {
        let clock = VirtualClock(now: Instant(seconds: 1_774_000_000))
        let database = try StudyDatabase(.memory)
        let stamps = EventClock(clock: clock, bootID: "boot", zone: .utc)
        let study = try LoadedStudy(AgentFixture.protocolText(days: 3, times: [(9, 0)]), origin: "generated.json")
        _ = try await Self.enroller(database, stamps)
            .enrol(EnrolmentOptions(loaded: study, participant: "P-1", seed: 3))
        for _ in 1...4 {
            let service = try Self.service(database, stamps, PlatformCatalog([HeardPlatform.self]))
            let running = Task { try await service.run() }
            await clock.whenSleeping(2)
            running.cancel()
            _ = await running.result
        }
        #expect(
            HeardPlatform.reports.withLock { $0 } == [[false, false], [true, false], [true, true], [true, false]])
    }

    /// A server of the catalog is asked for news (ESMira's each hour): between two looks it waits for the next,
    /// and for the least pause after a request. It ends when it is cancelled.
    @Test func whereThereIsAServerItLooksAgain() async throws {
        let clock = VirtualClock(now: Instant(seconds: 1_774_000_000))
        let stamps = EventClock(clock: clock, bootID: "boot", zone: .utc)
        let service = try Self.service(StudyDatabase(.memory), stamps, .standard)
        let running = Task { try await service.run() }
        await clock.whenSleeping(2)
        clock.advance(to: clock.monotonic + .seconds(3_600))
        await clock.whenSleeping(2)
        running.cancel()
        _ = await running.result
    }

    /// Neither before it is due nor once its time is over.
    @Test func aRunIsBegunWhileItIsDueAndWasOpened() async throws {
        let clock = VirtualClock(now: Instant(seconds: 1_774_000_000))
        let database = try StudyDatabase(.memory)
        let stamps = EventClock(clock: clock, bootID: "boot", zone: .utc)
        let enroller = try Self.enroller(database, stamps)
        let study = try LoadedStudy(AgentFixture.protocolText(days: 3, times: [(9, 0)]), origin: "generated.json")
        let record = try await enroller.enrol(EnrolmentOptions(loaded: study, participant: "P-1", seed: 3))
        let enrolment = try #require(record.enrolment)
        func task() async throws -> TaskRuns {
            try #require(try await database.taskRuns(in: study.study, of: enrolment, stamps).first)
        }
        let first = try #require(try await task().runs.first?.occurrence)
        let expires = try #require(first.expires)
        #expect(try await task().isBegun == false)
        clock.advance(to: clock.monotonic + (first.due - clock.now))
        #expect(try await task().isBegun == false)
        try await database.append(
            [
                .prompted(occurrence: OccurrenceRecord(first)),
                .runOpened(task: first.task, opening: 1, occurrence: first.id),
            ], at: stamps.stamp(record.id))
        #expect(try await task().isBegun)
        clock.advance(to: clock.monotonic + (expires - clock.now - .nanoseconds(1)))
        #expect(try await task().isBegun)
        clock.advance(to: clock.monotonic + .nanoseconds(1))
        #expect(try await task().isBegun == false)
    }
}

extension StudyDatabase {
    fileprivate func loseStudyFiles() throws { try connection.execute("DELETE FROM study_file") }
}

/// schema with a server of the test's.
private protocol ServedSchema: StudyPlatform, StudyServer {}

extension ServedSchema {
    static var name: PlatformName { .schema }
    static var planZone: PlanZone { .enrolment }
    var reader: any StudyReader { SchemaPlatform().reader }
    var wire: any StudyWire { SchemaPlatform().wire }
    func server(over device: any PlatformDevice) -> (any StudyServer)? { self }
    func offer(_ request: JoinRequest) throws -> JoinOffer { JoinOffer(bytes: []) }
    var newsInterval: Duration? { .seconds(3_600) }
}
