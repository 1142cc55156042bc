// SPDX-License-Identifier: Apache-2.0
import Base
import Patience
import Simulation
import SystemKit
import Testing

@testable import Agent
@testable import Study

/// A study's file that is gone from the store, or damaged in it, while the enrolment goes on.
@Suite(.serialized, .timeLimit(.minutes(20))) struct LostStudyTests {
    /// A row that is gone, a text that another bit makes another text, and one that is no JSON any more.
    static let damages = [
        "DELETE FROM study_file", "UPDATE study_file SET bytes = CAST(replace(bytes, 'Alone', 'Alonf') AS BLOB)",
        "UPDATE study_file SET bytes = substr(bytes, 2)",
    ]

    private let clock = VirtualClock(now: Instant(seconds: 1_774_000_000))
    private let database: StudyDatabase
    private let enroller: Enroller
    private let stamps: EventClock

    init() throws {
        database = try StudyDatabase(.memory)
        stamps = EventClock(clock: clock, bootID: "boot", zone: try Zone.load(AgentFixture.berlin))
        enroller = Enroller(
            database: database, panel: try AgentFixture.panel(AgentFixture.panels[2]), zone: stamps.zone,
            stamps: stamps, media: MediaCache(folder: "/tmp/studyd-no-media"))
    }

    private func options(days: Int = 3, _ participant: String? = "P-1") throws -> EnrolmentOptions {
        let text = AgentFixture.protocolText(days: days, times: [(9, 0)], questions: AgentFixture.yesNo)
        return EnrolmentOptions(
            loaded: try LoadedStudy(text, origin: "generated.json"), participant: participant, seed: 3)
    }

    private func rules(for study: StudyProtocol) throws -> RulesFile {
        let key = try #require(study.tasks.first?.key)
        let text = "[rule.r]\ntask = \"\(key)\"\nevery = \"1h\"\nprobability = 0.5\n"
        return RulesFile(path: "rules.toml", bytes: Array(text.utf8))
    }

    @Test(arguments: damages) func theSameFileContinuesTheEnrolment(_ damage: String) async throws {
        let record = try await enroller.enrol(try options())
        #expect(try await database.enrolmentWithoutStudy() == nil)
        try await database.run(damage)
        #expect(try await database.enrolmentWithoutStudy() == record)
        #expect(try await database.loadedStudy(record) == nil)
        let before = try await database.events().count
        for other in [try options(days: 4), try options("P-2")] {
            let error = await #expect(throws: EnrolmentError.self) { try await enroller.enrol(other) }
            #expect(error == .notTheLostStudy(record.lostStudy, isKept: false))
            #expect(error?.description.contains(record.fileDigest) == true)
            // As the receiver calls an earlier version (`KeptStudies.retire`).
            #expect(error?.description.contains(".versions/*.\(record.fileDigest.prefix(12)).json") == true)
        }
        #expect(try await enroller.enrol(try options(nil)) == record)
        #expect(try await database.loadedStudy(record)?.bytes == options().loaded.bytes)
        #expect(try await database.enrolmentWithoutStudy() == nil)
        #expect(try await database.events().count == before, "nothing is drawn again")
        let again = await #expect(throws: EnrolmentError.self) { try await enroller.enrol(try options()) }
        #expect(again == .alreadyEnrolled("GENERATED"))
    }

    /// Enrolled in before such a file was refused. It is refused as ever where nothing is lost.
    @Test(.enabled(if: ReportSchema.output(["openssl", "version"]) != nil, "needs the program openssl"))
    func aLostStudyWithAPrivateKeyIsPutBackAsItWas() async throws {
        let command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=study -keyout - 2>/dev/null"
        let pem = try #require(ReportSchema.output(["sh", "-c", command]))
        let sage = try #require(PlatformCatalog.standard[PlatformName(rawValue: "sage")])
        try await AgentFixture.inFolder { folder in
            let settings =
                "platform = 'sage'\nidentifier = 'S'\ncertificate = \"\"\"\n\(pem)\"\"\"\n[[task]]\nfile = 't.json'\n"
            let task = #"{"type":"assessment","identifier":"T","steps":[{"type":"instruction","identifier":"a"}]}"#
            for (name, text) in [("study.toml", settings), ("t.json", task)] {
                try AtomicFile.write(Array(text.utf8), to: "\(folder)/\(name)", mode: 0o600)
            }
            let choices = sage.reader.completed(try sage.choices(PlatformArguments()))
            let bytes = StudyBundle.bytes(try StudyFolder.files(in: folder), options: choices)
            let loaded = try LoadedStudy(bytes, origin: folder, platform: PlatformName(rawValue: "sage"))
            let record = try await enroller.enrol(EnrolmentOptions(loaded: loaded, postURL: "https://s.example/"))
            var request = EnrolmentRequest(source: folder)
            request.postURL = "https://s.example/"
            await #expect(throws: UnreadableStudy.self) { try await enroller.enrol(request, .standard) }
            try await database.run(Self.damages[0])
            #expect(try await enroller.enrol(request, .standard).contains(record.participant))
            #expect(try await database.enrolmentWithoutStudy() == nil)
            await #expect(throws: UnreadableStudy.self) { try await enroller.enrol(request, .standard) }
        }
    }

    /// A salvage may be quicker than the person who follows the fault's advice.
    @Test func theSameFileIsTakenUntilTheAgentHasTheStudy() async throws {
        let record = try await enroller.enrol(try options())
        let waiting = Enroller(
            database: database, panel: try AgentFixture.panel(AgentFixture.panels[2]), zone: stamps.zone,
            stamps: stamps, media: MediaCache(folder: "/tmp/studyd-no-media"), isWithoutStudy: { true })
        #expect(try await waiting.enrol(try options(nil)) == record)
        let other = await #expect(throws: EnrolmentError.self) { try await waiting.enrol(try options(days: 4)) }
        #expect(other == .notTheLostStudy(record.lostStudy, isKept: true))
        #expect(other?.description.contains("\(record.fileDigest.prefix(12))") == false, "the file is there")
        #expect(other?.description.contains("'studyd status'") == true)
        clock.advance(to: clock.monotonic + .seconds(60))
        _ = try await waiting.withdraw(deletesUnsent: nil)
        #expect(try await waiting.enrol(try options(days: 4)).id != record.id)
    }

    /// What was chosen at the enrolment may be said again; nothing of it can be changed.
    @Test func optionsThatWouldChangeTheEnrolmentAreNamed() async throws {
        var made = try options()
        (made.postURL, made.holdTimes) = ("https://s.example/", .slow)
        let record = try await enroller.enrol(made)
        try await database.run("DELETE FROM study_file")
        var other = try options()
        (other.seed, other.postURL) = (4, "https://other.example/")
        other.deviceKey = DeviceKey()
        other.code = EnrolmentCode("7K3M-Q0ZD-WX5B")
        let consent = #"{"version":"1.0","recordedBy":"A. Nurse","eligible":true}"#
        other.consent = try ConsentRecord(parsing: Array(consent.utf8), file: "consent.json")
        let error = await #expect(throws: EnrolmentError.self) { try await enroller.enrol(other) }
        #expect(error == .continuesAsItWas(["--consent", "--code", "--device-key-file", "--post-url", "--seed"]))
        #expect(try await database.enrolmentWithoutStudy() == record)
        #expect(try await enroller.enrol(made) == record)
    }

    @Test(arguments: damages) func whatNeedsTheFileSaysThatItIsLost(_ damage: String) async throws {
        let record = try await enroller.enrol(try options())
        try await database.run(damage)
        let editor = PromptTimeEditor(database: database, stamps: stamps)
        let error = await #expect(throws: EnrolmentError.self) { _ = try await editor.lines() }
        #expect(error == .studyLost(record.lostStudy))
        #expect(error?.description.contains("studyd withdraw") == true)
        let graphs = await #expect(throws: EnrolmentError.self) { try await enroller.logGraphsSeen() }
        #expect(graphs == .studyLost(record.lostStudy))
    }

    @Test(arguments: damages, [false, true])
    func aLostStudyCanBeLeft(_ damage: String, deletesData: Bool) async throws {
        let record = try await enroller.enrol(try options())
        try await database.run(damage)
        let undecided = await #expect(throws: EnrolmentError.self) { try await enroller.withdraw(deletesUnsent: true) }
        #expect(undecided == .dataRuleLost && undecided?.description.contains("--delete-data or --keep-data") == true)
        #expect(try await database.latestEnrolment()?.withdrawn == nil)
        let requests = ParticipantRequests(database: database, platforms: PlatformCatalog([]), stamps: stamps)
        let lost = await #expect(throws: EnrolmentError.self) { try await requests.reward() }
        #expect(lost == .studyLost(record.lostStudy))
        #expect(try await enroller.withdraw(deletesUnsent: nil, deletesData: deletesData) == record)
        let left = await #expect(throws: EnrolmentError.self) { try await requests.reward() }
        #expect(left == .notEnrolled)
        #expect(try await database.latestEnrolment()?.withdrawn != nil)
        #expect(try await database.items(in: .waiting).count == (deletesData ? 0 : 1), "the enrolment's notice")
        let summary = try await WithdrawalDelivery(database: database, clock: clock).summary(of: record)
        #expect(summary.description.contains("its server is not told"), "\(summary)")
        #expect(summary.description.hasPrefix("answers deleted here; the study's file is lost") == deletesData)
        clock.advance(to: clock.monotonic + .seconds(60))
        _ = try await enroller.enrol(try options())
    }

    /// ESMira's own rule is known without the study's file.
    @Test func aLostStudyOfESMiraIsLeftWithItsDataKept() async throws {
        let text =
            #"{"id":7,"version":1,"questionnaires":[{"internalId":71,"title":"EMA","pages":[{"inputs":"#
            + #"[{"name":"mood","responseType":"likert"}]}]}]}"#
        let loaded = try LoadedStudy(
            Array(text.utf8), origin: "study.json", platform: PlatformName(rawValue: "esmira"))
        let record = try await enroller.enrol(EnrolmentOptions(loaded: loaded, postURL: "https://s.example/"))
        try await database.run(Self.damages[0])
        let error = await #expect(throws: EnrolmentError.self) {
            try await enroller.withdraw(deletesUnsent: nil, deletesData: true)
        }
        #expect(error == .dataDecidedByStudy(isDeleted: false))
        #expect(try await enroller.withdraw(deletesUnsent: nil) == record)
    }

    /// Bridge is asked for nothing when a participant leaves.
    @Test func thatNoNoticeIsSentIsSaid() async throws {
        let files = [
            ("study.json", #"{"identifier":"S","task":[{"file":"t.json"}]}"#),
            ("t.json", #"{"type":"assessment","identifier":"T","steps":[{"type":"instruction","identifier":"a"}]}"#),
        ].map { StudySource.File(name: $0.0, bytes: Array($0.1.utf8)) }
        let loaded = try LoadedStudy(
            StudyBundle.bytes(files, options: StudyOptions()), origin: "a test",
            platform: PlatformName(rawValue: "sage"))
        let record = try await enroller.enrol(EnrolmentOptions(loaded: loaded, postURL: "https://s.example/"))
        _ = try await enroller.withdraw(deletesUnsent: nil)
        let summary = try await WithdrawalDelivery(database: database, clock: clock).summary(of: record)
        #expect(
            summary.description
                == "everything has been sent; no notice of leaving is sent in this study: tell the study's team")
    }

    @Test(arguments: [
        (0, 0, "answers deleted here, and the server was asked to delete them"),
        (1, 0, "answers deleted here, and the server is being asked to delete them; 1 item is not sent yet; "),
        (0, 1, "answers deleted here; 1 item refused by the server"),
    ])
    func aDeletionIsNotSaidToBeADelivery(unsent: Int, refused: Int, words: String) {
        let summary = DeliverySummary(
            unsent: unsent, refused: refused, addresses: [], notice: .sent, erasesAnswers: true)
        #expect(summary.description.hasPrefix(words) && !summary.description.contains("has been sent"), "\(summary)")
    }

    @Test func aStudyThatIsThereIsLeftAsEver() async throws {
        let record = try await enroller.enrol(try options())
        clock.advance(to: clock.monotonic + .seconds(60))
        _ = try await enroller.withdraw(deletesUnsent: nil)
        let summary = try await WithdrawalDelivery(database: database, clock: clock).summary(of: record)
        #expect(summary.unsent == 2 && !summary.description.contains("not told"), "\(summary)")
    }

    /// A trial without its rules would be another one; leaving does not need them.
    @Test func lostRulesAreALostStudyExceptForLeaving() async throws {
        var options = try self.options()
        options.rules = try rules(for: options.loaded.study)
        let record = try await enroller.enrol(options)
        try await database.run("DELETE FROM study_file WHERE source = 'rules.toml'")
        #expect(try await database.enrolmentWithoutStudy() == record)
        #expect(try await database.loadedStudy(record) == nil)
        let bare = await #expect(throws: EnrolmentError.self) { try await enroller.enrol(try self.options()) }
        #expect(bare == .notTheLostStudy(record.lostStudy, isKept: false))
        #expect(try await enroller.enrol(options) == record)
        #expect(try await database.loadedStudy(record)?.study.rules != nil)
        try await database.run("DELETE FROM study_file WHERE source = 'rules.toml'")
        clock.advance(to: clock.monotonic + .seconds(60))
        _ = try await enroller.withdraw(deletesUnsent: nil)
        #expect(try await database.unsent(of: record.id).count == 2, "the server learns of it")
    }

    @Test func damagedRulesAreNotRead() async throws {
        let folder = try TemporaryFolder("rules")
        let path = folder.path + "/studyd.sqlite"
        let kept = try StudyDatabase(.file(path))
        let zone = stamps.zone
        let enroller = Enroller(
            database: kept, panel: try AgentFixture.panel(AgentFixture.panels[2]), zone: zone, stamps: stamps,
            media: MediaCache(folder: "/tmp/studyd-no-media"))
        var options = try self.options()
        options.rules = try rules(for: options.loaded.study)
        let record = try await enroller.enrol(options)
        let store = try OpenStore(.file(path), busyTimeout: .seconds(5), catchesUp: true, encryption: nil)
        #expect(try DecisionHistory(store).rules(of: record.id) == options.rules?.bytes)
        try await kept.run("UPDATE study_file SET bytes = substr(bytes, 2) WHERE source = 'rules.toml'")
        #expect(try DecisionHistory(store).rules(of: record.id) == nil)
    }

    /// What `studyd status` says where no agent runs.
    @Test(arguments: damages) func theStatusNamesTheLossWithoutAnAgent(_ damage: String) async throws {
        let reader = StatusReader(database: database, view: nil, stamps: stamps, folder: "/tmp")
        _ = try await enroller.enrol(try options())
        let whole = try await reader.text(json: false, uploads: false)
        #expect(whole.contains(", prompts on\n") && !whole.contains("FAULT"), "\(whole)")
        try await database.run(damage)
        let lost = try await reader.text(json: false, uploads: false)
        #expect(lost.contains("participant P-1, prompts off\n"), "\(lost)")
        #expect(lost.contains("FAULT       the file of study GENERATED"), "\(lost)")
    }

    /// The damage is there in each life, and so is the fault; the same file ends both.
    @Test(arguments: damages) func theDeviceMeasuresOnWithAStandingFault(_ damage: String) async throws {
        try await MeasuringRig.with { rig in
            try await rig.firstLife()
            try rig.connection().execute(damage)
            for life in 2...3 {
                try await rig.live { runtime in
                    try await eventually("the loss is found") { runtime.view.now.studyLoss != nil }
                    try await eventually("it measures") { rig.stored(runtime) > 0 }
                    let page = try await runtime.status.text(json: false, uploads: false)
                    #expect(page.contains("FAULT       the file of study GENERATED"), "\(page)")
                    #expect(page.contains("prompts off") && runtime.view.now.conductor == nil, "\(page)")
                    #expect(runtime.view.now.panelFault == "The device's memory was damaged")
                    guard life == 3 else { return }
                    let study = try LoadedStudy(MeasuringRig.study, origin: "study.json")
                    _ = try await runtime.enroller.enrol(EnrolmentOptions(loaded: study))
                    runtime.enrolmentChanged()
                    try await eventually("the study is read") { runtime.view.now.conductor != nil }
                    #expect(runtime.view.now.studyLoss == nil)
                }
            }
            let faults = try rig.rows("SELECT body FROM event WHERE kind = 'fault'")
            #expect(faults.contains { $0.contains("the file of study GENERATED") }, "\(faults)")
            let owners = try rig.connection().rows("SELECT DISTINCT enrolment FROM recording") { try $0.string(0) }
            #expect(owners.count == 1 && owners != [""], "all are the participant's: \(owners)")
        }
    }

    /// As a salvage does: without a word to the loop.
    @Test(arguments: damages) func theRunningAgentGoesOnOnceTheFileIsBack(_ damage: String) async throws {
        try await MeasuringRig.with { rig in
            try await rig.firstLife()
            try rig.connection().execute(damage)
            try await rig.live { runtime in
                try await eventually("the loss is found") { runtime.view.now.studyLoss != nil }
                _ = try await runtime.database.keepStudyFile(MeasuringRig.study, source: "study.json", at: .epoch)
                try await eventually("the study is read") { runtime.view.now.conductor != nil }
                #expect(runtime.view.now.studyLoss == nil)
                let page = try await runtime.status.text(json: false, uploads: false)
                #expect(page.contains("prompts on") && !page.contains("the file of study"), "\(page)")
            }
        }
    }

    /// With that of its rules.
    @Test(arguments: damages) func theFileOfTheStudyThatRunsIsWrittenAgain(_ damage: String) async throws {
        try await MeasuringRig.with { rig in
            try await rig.firstLife(rules: rules)
            try await rig.live { runtime in
                try await eventually("the study is read") { runtime.view.now.conductor != nil }
                try rig.connection().execute(damage)
                runtime.enrolmentChanged()
                try await eventually("the files are back") {
                    try await runtime.database.enrolmentWithoutStudy() == nil
                }
            }
            try await rig.live { runtime in
                try await eventually("the study is read") { runtime.view.now.conductor != nil }
                #expect(runtime.view.now.studyLoss == nil)
            }
        }
    }

    /// The prompt of the day after enrolment falls due while the study is lost, or while the device was off before.
    /// The study is back in the same life, or in the next, or in one before which the clock was unknown.
    @Test(arguments: [(0, 36), (12, 24), (24, 12)] as [(off: Int, lost: Int)], 0...2)
    func promptsOfALostStudyAreMissedAsWhereTheDeviceIsOff(hours: (off: Int, lost: Int), restarts: Int) async throws {
        var participant = Participant()
        participant.misses = 1
        let zone = try Zone.load(AgentFixture.berlin)
        func moment(_ local: String) throws -> Instant { zone.resolve(try LocalDateTime(parsing: local)).instant }
        var device = try await StudyDevice(
            options().loaded, buttons: AgentFixture.panels[2], participant: participant, at: "2026-03-20T08:00")
        try await device.run(until: moment("2026-03-20T20:00"))
        try await device.loseStudy(
            off: .seconds(3600 * hours.off), without: .seconds(3600 * hours.lost), restarts: restarts)
        try await device.run(until: moment("2026-03-22T12:00"))
        let outcomes = try await device.database.events(kind: "concluded", limit: -1).compactMap { logged -> String? in
            if case .concluded(_, let outcome) = logged.event { outcome.reason?.rawValue ?? "none" } else { nil }
        }
        #expect(outcomes == ["device-off", "none"])
        #expect(try await device.database.lossBegan(of: device.enrolment) == nil, "it is over")
    }

    /// What the store does not give now it may give at the next look: until then measuring goes on.
    /// A column under another name is what the look for damage lets pass.
    @Test(arguments: [("study_file", "bytes"), ("enrolment", "record")])
    func aStudyThatTheStoreDoesNotGiveIsReadAtTheNextLook(_ table: String, _ column: String) async throws {
        try await MeasuringRig.with { rig in
            try await rig.firstLife()
            try await rig.live { runtime in
                try await eventually("the study is read") { runtime.view.now.conductor != nil }
                try await eventually("it measures") { rig.stored(runtime) > 0 }
                try rig.connection().execute("ALTER TABLE \(table) RENAME \(column) TO away")
                runtime.enrolmentChanged()
                try await eventually("the loss is found") { runtime.view.now.studyLoss != nil }
                let loss = try #require(runtime.view.now.studyLoss).description
                #expect(loss.contains("the store did not give its file"), "\(loss)")
                #expect(!loss.contains("studyd withdraw"), "\(loss)")
                let stored = rig.stored(runtime)
                try await eventually("it measures on") { rig.stored(runtime) > stored }
                try rig.connection().execute("ALTER TABLE \(table) RENAME away TO \(column)")
                try await eventually("the study is read again") {
                    runtime.view.now.studyLoss == nil && runtime.view.now.conductor != nil
                }
            }
        }
    }

    /// It was checked before it was kept, and reads otherwise afterwards: what the log has of the new version does not
    /// fit the old one, which could not end its runs a second time. A look alone does not read it again.
    @Test func aVersionThatCannotBeReadIsALostStudyUntilAnotherComes() async throws {
        try await MeasuringRig.with { rig in
            try await rig.firstLife()
            let good = try LoadedStudy(MeasuringRig.study, origin: "study.json")
            let bad = LoadedStudy(good.study, of: good.platform, bytes: Array("{}".utf8), origin: "study.json")
            try await rig.live { runtime in
                try await eventually("the study is read") { runtime.view.now.conductor != nil }
                let enrolment = try #require(try await runtime.database.latestEnrolment()).record.id
                runtime.mailbox.post(.studyUpdate(bad, version: "2", of: enrolment))
                try await eventually("it cannot be read") {
                    runtime.view.now.studyLoss != nil && runtime.view.now.conductor == nil
                }
                let stored = rig.stored(runtime)
                try await eventually("it measures") { rig.stored(runtime) != stored }
            }
            try await rig.live { runtime in
                try await eventually("it cannot be read") { runtime.view.now.studyLoss != nil }
                try await eventually("it measures") { rig.stored(runtime) > 0 }
                let page = try await runtime.status.text(json: false, uploads: false)
                #expect(page.contains("FAULT       study GENERATED: its file cannot be read"), "\(page)")
                try await rig.look("first look", of: runtime)
                let record = try #require(try await runtime.database.latestEnrolment()).record
                let digest = try Digest(of: good.bytes).description
                try await runtime.database.append(
                    [.studyUpdated(fileDigest: digest, version: "3")], at: runtime.status.stamps.stamp(record.id))
                try await rig.look("second look", of: runtime)
                #expect(runtime.view.now.studyLoss != nil)
                runtime.mailbox.post(.storeChanged)
                try await eventually("the study is read") { runtime.view.now.conductor != nil }
                #expect(runtime.view.now.studyLoss == nil)
            }
        }
    }

    @Test func aStudyThatCannotBeReadCanBeLeft() async throws {
        let record = try await enroller.enrol(try options())
        let digest = try await database.keepStudyFile(Array("{}".utf8), source: "study.json", at: clock.now)
        try await database.append(
            [.studyUpdated(fileDigest: digest.description, version: "2")], at: stamps.stamp(record.id))
        let undecided = await #expect(throws: EnrolmentError.self) { try await enroller.withdraw(deletesUnsent: nil) }
        #expect(undecided == .dataRuleLost && undecided?.description.contains("cannot be read") == true)
        clock.advance(to: clock.monotonic + .seconds(60))
        let left = try await enroller.withdraw(deletesUnsent: nil, deletesData: false)
        #expect(left.id == record.id)
        let summary = try await WithdrawalDelivery(database: database, clock: clock).summary(of: left)
        #expect(summary.description.contains("cannot be read, so its server is not told"), "\(summary)")
        #expect(try await database.latestEnrolment()?.withdrawn != nil)
    }

    /// It is loaded and decoded whole each time.
    @Test(
        arguments: [(.unreadable("x"), 600), (.unread("x"), 0), (.file, 0), (.store, 0), (.refusedStore, 0)]
            as [(LostEnrolment.Cause, Int)])
    func onlyAFileThatIsWholeWaitsToBeReadAgain(_ cause: LostEnrolment.Cause, seconds: Int) async throws {
        let record = try await enroller.enrol(try options())
        #expect(LostEnrolment(record: record, cause: cause).pause == .seconds(seconds))
    }

    @Test(arguments: [(.store, true), (.file, true), (.refusedStore, false)] as [(LostEnrolment.Cause, Bool)])
    func onlyAStoreThatComesBackAsksForNoEnrolment(_ cause: LostEnrolment.Cause, asks: Bool) async throws {
        let record = try await enroller.enrol(try options())
        let lost = LostEnrolment(record: record, cause: cause)
        #expect(lost.explanation.description.contains("studyd enroll") == asks)
        #expect(lost.explanation.description.contains("participant P-1"))
        #expect((lost.fault != nil) == asks)
    }
}

extension MeasuringRig {
    /// Returns when the loop has looked around, and has taken all that came before.
    fileprivate func look(_ name: String, of runtime: AgentRuntime) async throws {
        runtime.mailbox.post(.lookAround)
        runtime.mailbox.post(.remark(place: "test", message: name))
        try await eventually("it has looked") { try self.rows("SELECT body FROM event").contains { $0.contains(name) } }
    }
}

extension StudyDatabase {
    fileprivate func run(_ statement: String) throws { try connection.execute(statement) }
}
