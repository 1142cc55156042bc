// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Simulation
import Synchronization
import SystemKit
import Testing

@testable import Agent
@testable import Study

@Suite struct EnrollerTests {
    let clock = VirtualClock(now: Instant(seconds: 1_774_000_000))
    let database: StudyDatabase
    let enroller: Enroller
    let deaf: Enroller

    init() throws {
        database = try StudyDatabase(.memory)
        let stamps = EventClock(clock: clock, bootID: "boot", zone: try Zone.load(AgentFixture.berlin))
        let media = MediaCache(folder: "/tmp/studyd-no-media")
        func make(_ panel: Panel, _ database: StudyDatabase) -> Enroller {
            Enroller(database: database, panel: panel, zone: stamps.zone, stamps: stamps, media: media)
        }
        enroller = make(try AgentFixture.panel(AgentFixture.panels[2]), database)
        deaf = make(try AgentFixture.panel(AgentFixture.panels[2], hasMicrophone: false), database)
    }

    private func study(_ questions: String = AgentFixture.yesNo) throws -> LoadedStudy {
        try LoadedStudy(
            AgentFixture.protocolText(days: 3, times: [(9, 0)], questions: questions), origin: "generated.json")
    }

    private func forms() async throws -> [String] {
        var kinds: [String] = []
        for item in try await database.items(in: .waiting) {
            guard case .request(let request) = try await database.content(of: item) else { continue }
            kinds.append(PostedForm(request)?.kind ?? "?")
        }
        return kinds
    }

    @Test func enrolmentIsOneRowWithItsDrawAndItsNotice() async throws {
        let record = try await enroller.enrol(EnrolmentOptions(loaded: try study(), participant: "P-1", seed: 3))
        #expect(record.participant == "P-1")
        #expect(record.studyID == "GENERATED")
        let state = try await database.latestEnrolment()
        #expect(state?.record == record && state?.withdrawn == nil && state?.arePromptsOn == true)
        #expect(try await forms() == ["home enrol"])
        let loaded = try await database.loadedStudy(record)
        #expect(try loaded?.bytes == study().bytes)
        let draws = try await database.events(kind: "drawn").map(\.event)
        #expect(
            draws.contains { event in
                if case .drawn(_, record.condition, ["A": 0.5, "B": 0.5]) = event { true } else { false }
            })
    }

    @Test(arguments: [("1.0", true), ("", false), (nil, false)] as [(String?, Bool)])
    func anEnrolmentWithoutTheConsentOfItsStudyIsNoted(version: String?, isNoted: Bool) async throws {
        var options = EnrolmentOptions(loaded: try study(), participant: "P-1", seed: 3)
        options.consentVersion = version
        let record = try await enroller.enrol(options)
        let noted = StudyEvent.fault(
            place: "consent", message: "no consent was recorded; the study's is version \(version ?? "")")
        #expect(try await database.events(kind: "fault").map(\.event).contains(noted) == isNoted)
        let problem = try await database.consent(of: record.id).problem
        #expect(problem?.hasPrefix("no consent is recorded") == (isNoted ? true : nil))
    }

    /// Today is 2026-03-20.
    @Test(arguments: [("2026-03-20", true), ("2026-03-21", false)])
    func aConsentThatIsSignedTomorrowDoesNotCount(date: String, isTaken: Bool) async throws {
        let text = #"{"version":"1.0","recordedBy":"A","eligible":true,"date":"\#(date)"}"#
        var options = EnrolmentOptions(loaded: try study(), participant: "P-1", seed: 3)
        options.consent = try ConsentRecord(parsing: Array(text.utf8), file: "consent.json")
        guard isTaken else {
            await #expect(throws: FileError.self) { try await enroller.enrol(options) }
            return
        }
        let record = try await enroller.enrol(options)
        #expect(try await database.consent(of: record.id).recorded?.date == date)
    }

    /// The name of a platform counts where this program has it; else the file shows the platform.
    @Test func aStudyOfAPlatformThatIsGoneIsReadByWhatItsFileIs() async throws {
        var record = try await enroller.enrol(EnrolmentOptions(loaded: try study(), participant: "P-1", seed: 3))
        let own = record.platform
        record.platform = "retired"
        #expect(try await database.loadedStudy(record)?.study.platform.rawValue == own)
        record.platform = "mystudies"
        await #expect(throws: (any Error).self) { try await database.loadedStudy(record) }
        record.platform = own
        record.fileDigest = String(repeating: "0", count: 64)
        #expect(try await database.loadedStudy(record) == nil, "its file is gone")
    }

    /// RFC 9110 §4.2.1: `http` is in the clear. Whoever enrols is told of each way that is; this
    /// device itself is no way (RFC 6761 §6.3).
    @Test(arguments: [
        ("http://lab.example.org/p", "http://lab.example.org/rec/", 2),
        ("https://lab.example.org/p", "https://r.example.org/", 0),
        ("HTTP://user:secret@lab.example.org:8080/p", nil, 1), ("http://127.0.0.1:8080/p", "http://[::1]:80/rec", 0),
        ("http://localhost/p", "http://localhost.example.org/", 1), ("http://127.0.0.1@lab.example.org/p", nil, 1),
        ("http://127.example.org/p", nil, 1), ("http://127.1/p", nil, 0),
    ])
    func waysInTheClearAreToldAtEnrolment(_ post: String, _ recordings: String?, _ count: Int) async throws {
        let zone = try Zone.load(AgentFixture.berlin)
        let enroller = Enroller(
            database: try StudyDatabase(.memory), panel: try AgentFixture.panel(AgentFixture.panels[2]), zone: zone,
            stamps: EventClock(clock: clock, bootID: "boot", zone: zone),
            media: MediaCache(folder: "/tmp/studyd-no-media"),
            destinations: recordings.map { [.recordings(to: $0)] } ?? [])
        let remarks = EnrolmentRemarks()
        var options = EnrolmentOptions(loaded: try study(), participant: "P-1", seed: 3)
        options.postURL = post
        _ = try await enroller.enrol(options) { remarks.record($0) }
        let told = remarks.lines.split(separator: "\n").filter { $0.contains("without encryption") }
        #expect(told.count == count, "\(told)")
        #expect(
            told.allSatisfy { $0.hasPrefix("remark: WARNING ") && $0.contains("use https") && !$0.contains("secret") },
            "\(told)")
    }

    private func enroller(
        recordings: String?, tries: @escaping @Sendable (String) -> String? = { ServerContact.problem($0) },
        isDated: Bool = true
    ) throws -> Enroller {
        let zone = try Zone.load(AgentFixture.berlin)
        return Enroller(
            database: database, panel: try AgentFixture.panel(AgentFixture.panels[2]), zone: zone,
            stamps: EventClock(clock: clock, bootID: "boot", zone: zone),
            media: MediaCache(folder: "/tmp/studyd-no-media"),
            destinations: recordings.map { [.recordings(to: $0)] } ?? [], tries: tries, isDated: { isDated })
    }

    @Test(arguments: [true, false]) func graphsOfAnUndatedEnrolmentAreLoggedAndNotReported(isDated: Bool) async throws {
        let made = try self.enroller(recordings: nil, tries: { _ in nil }, isDated: isDated)
        _ = try await made.enrol(EnrolmentOptions(loaded: try study(), participant: "P-1", seed: 3))
        let before = try await forms()
        try await made.logGraphsSeen()
        let after = try await forms()
        #expect(try await database.events(kind: "graphsOpened").count == 1)
        #expect(before.isEmpty == !isDated && (after.count > before.count) == isDated)
    }

    /// Port 9 and 7 of this machine: nothing listens there. The enrolment is made all the same: a
    /// device may be set up without a network.
    @Test func anAddressThatDoesNotAnswerIsReportedAtEnrolment() async throws {
        let remarks = EnrolmentRemarks()
        var options = EnrolmentOptions(loaded: try study(), participant: "P-1", seed: 3)
        options.postURL = "http://127.0.0.1:9/schema"
        _ = try await enroller(recordings: "http://127.0.0.1:7/files").enrol(options) { remarks.record($0) }
        let told = remarks.lines.split(separator: "\n").filter { $0.contains("does not answer") }
        #expect(told.count == 2, "\(remarks.lines)")
        #expect(told.first?.contains("http://127.0.0.1:9/schema") == true && told.first?.contains("--post-url") == true)
        #expect(told.last?.contains("http://127.0.0.1:7/files") == true && told.last?.contains("studyd.toml") == true)
    }

    /// It is not the study's server: to leave the study would not help.
    @Test func theAddressOfADestinationForAnswersIsCorrectedInTheConfiguration() async throws {
        let zone = try Zone.load(AgentFixture.berlin)
        let copies = TusDestination(name: "copies", endpoint: "https://copies.example.org/")
        let enroller = Enroller(
            database: database, panel: try AgentFixture.panel(AgentFixture.panels[2]), zone: zone,
            stamps: EventClock(clock: clock, bootID: "boot", zone: zone),
            media: MediaCache(folder: "/tmp/studyd-no-media"),
            destinations: [ConfiguredDestination(copies, takes: .answers)],
            tries: { $0 == "https://copies.example.org/" ? "no answer" : nil })
        let remarks = EnrolmentRemarks()
        let options = EnrolmentOptions(loaded: try study(), participant: "P-1", seed: 3)
        _ = try await enroller.enrol(options) { remarks.record($0) }
        let told = remarks.lines.split(separator: "\n").filter { $0.contains("does not answer") }
        #expect(told.count == 1 && told[0].hasSuffix("correct it in studyd.toml"), "\(remarks.lines)")
    }

    @Test func anAddressIsAskedOnceAndAnyAnswerWillDo() async throws {
        let asked = Mutex<[String]>([])
        let remarks = EnrolmentRemarks()
        var options = EnrolmentOptions(loaded: try study(), participant: "P-1", seed: 3)
        options.postURL = "https://lab.example.org/x"
        _ = try await enroller(recordings: "https://lab.example.org/x") { address in
            asked.withLock { $0.append(address) }
            return nil
        }.enrol(options) { remarks.record($0) }
        #expect(asked.withLock { $0 } == ["https://lab.example.org/x"])
        #expect(!remarks.lines.contains("does not answer"))
    }

    /// The lab's receiver learns of the device on the day it is set up, by the way that
    /// recordings will take.
    @Test(arguments: [true, false]) func theLabsReceiverIsToldOfTheDeviceAtEnrolment(isDated: Bool) async throws {
        let record = try await enroller(recordings: "http://127.0.0.1:7/files", tries: { _ in nil }, isDated: isDated)
            .enrol(EnrolmentOptions(loaded: try study(), participant: "P-1", seed: 3))
        let hello = try #require(try await database.items(in: .waiting).first { $0.item.destination == "recordings" })
        guard case .request(let request) = try await database.content(of: hello) else { throw CancellationError() }
        let fields = try #require(
            JSONSerialization.jsonObject(with: Data(request.body)) as? [String: String])
        #expect(fields["participant"] == "P-1" && fields["study"] == "GENERATED" && fields["enrolment"] == record.id)
        // At the offset of the participant's wall clock; a date that no source vouches for is not sent.
        #expect(fields["enrolled"] == (isDated ? "2026-03-20T10:46:40+01:00" : nil))
    }

    @Test func withoutAReceiverNoGreetingIsQueued() async throws {
        _ = try await enroller(recordings: nil)
            .enrol(EnrolmentOptions(loaded: try study(), participant: "P-1", seed: 3))
        #expect(try await database.items(in: .waiting).allSatisfy { $0.item.destination == "schema" })
    }

    @Test func aTaskIsLeftOutByAStatedChoiceThatStays() async throws {
        let text = String(decoding: try study().bytes, as: UTF8.self)
        let module = text[try #require(text.firstRange(of: "{\"type\":\"survey\"")).lowerBound...].dropLast(2)
        let other = module.replacing("\"uuid\":\"moment\"", with: "\"uuid\":\"spoken\"").replacing(
            AgentFixture.yesNo, with: AgentFixture.freeText)
        let both = try LoadedStudy(Array((text.dropLast(2) + "," + other + "]}").utf8), origin: "generated.json")
        let refused = await #expect(throws: EnrolmentError.self) {
            try await deaf.enrol(EnrolmentOptions(loaded: both))
        }
        #expect(refused?.description.contains("--without TASK") == true)
        var options = EnrolmentOptions(loaded: both)
        options.without = ["nosuch"]
        let unknown = await #expect(throws: EnrolmentError.self) { try await deaf.enrol(options) }
        #expect(unknown == .noSuchTask("nosuch", ["moment", "spoken"]))
        options.without = ["moment", "spoken"]
        let nothing = await #expect(throws: EnrolmentError.self) { try await deaf.enrol(options) }
        #expect(nothing == .nothingLeft)
        options.without = ["spoken"]
        options.holdTimes = .slow
        let record = try await deaf.enrol(options)
        #expect(record.without == ["spoken"] && record.holdTimes == .slow)
        // The participant has these times on the panel from the next start on, too.
        let active = try await ActiveStudy.load(
            from: database, panel: .reference, zone: .utc, limits: SessionLimits(),
            at: Moment(instant: record.instant, monotonic: .zero))
        #expect(active?.conductor.session.panel.holdTimes == .slow)
        let loaded = try await database.loadedStudy(record)
        #expect(loaded?.study.tasks.map(\.key) == ["moment"] && loaded?.bytes == both.bytes)
    }

    private static let sound =
        #"{"id":"s","type":"media","subtype":"audio","src":"http://127.0.0.1:9/a.mp3","text":"Listen"}"#

    @Test func aSoundThatCannotBePlayedRefusesTheEnrolmentUnlessThatIsAllowed() async throws {
        let panel = try Panel(
            buttons: Panel.buttons(named: ["a", "b", "c"]), leds: [Panel.LED("light", .mono)], buzzer: nil,
            hasLoudspeaker: true)
        let stamps = EventClock(clock: clock, bootID: "boot", zone: try Zone.load(AgentFixture.berlin))
        let speaking = Enroller(
            database: database, panel: panel, zone: stamps.zone, stamps: stamps,
            media: MediaCache(folder: "/tmp/studyd-no-media-\(UInt64.random(in: 0 ... .max))"))
        var options = EnrolmentOptions(loaded: try study(Self.sound))
        let error = await #expect(throws: EnrolmentError.self) { try await speaking.enrol(options) }
        #expect(error?.description.contains("sections[0].questions[0].src: http://127.0.0.1:9/a.mp3") == true)
        #expect(error?.description.contains("--without-sounds") == true)
        #expect(try await database.events().isEmpty)
        options.allowsSilence = true
        _ = try await speaking.enrol(options)
        let faults = try await database.events(kind: "fault").map(\.event)
        #expect(faults.count == 1)
    }

    @Test func withoutALoudspeakerASoundIsLikeAPicture() async throws {
        let loaded = try study(Self.sound)
        let panel = try Panel(
            buttons: Panel.buttons(named: ["a", "b", "c"]), leds: [Panel.LED("light", .mono)], buzzer: nil)
        let stamps = EventClock(clock: clock, bootID: "boot", zone: try Zone.load(AgentFixture.berlin))
        let silent = Enroller(
            database: database, panel: panel, zone: stamps.zone, stamps: stamps,
            media: MediaCache(folder: "/tmp/studyd-no-media"))
        _ = try await silent.enrol(EnrolmentOptions(loaded: loaded))
        #expect(try await database.events(kind: "fault").isEmpty)
        guard let step = loaded.study.tasks.first?.content.steps.first,
            case .asked(let how, _) = PanelSupport(step, on: panel)
        else {
            Issue.record("it is refused")
            return
        }
        #expect(how.contains("not played, because the board has no loudspeaker"))
    }

    /// The lab's receiver would refuse their recordings for good, or their reports.
    @Test(arguments: ["", " ", " P1", "P1 ", "P\t1", "P\n1", String(repeating: "x", count: 201)])
    func aPseudonymThatCannotBeSentIsRefusedBeforeAnythingIsLogged(_ name: String) async throws {
        let error = await #expect(throws: EnrolmentError.self) {
            try await enroller.enrol(EnrolmentOptions(loaded: try study(), participant: name))
        }
        #expect(error == .badPseudonym(name))
        #expect(try await database.events().isEmpty)
    }

    @Test(arguments: [
        ("P1 ", "'P1 '"), ("P\t1", "'P\\u00091'"), (String(repeating: "x", count: 201), "xx'"),
        (String(repeating: "x\n", count: 30_000), "x\\u000A'"),
    ]) func aRefusedPseudonymIsShownWithWhatIsWrongWithIt(_ name: String, _ shown: String) {
        let cause = EnrolmentError.badPseudonym(name).explanation.cause
        #expect(cause.contains(shown) && cause.count < 1000)
    }

    @Test(arguments: ["P 1", "Jürgen/2", "..", "🙂", String(repeating: "x", count: 200)])
    func aPseudonymIsKeptAsItWasGiven(_ name: String) async throws {
        let record = try await enroller.enrol(EnrolmentOptions(loaded: try study(), participant: name))
        #expect(record.participant == name)
    }

    @Test func aSecondEnrolmentIsRefusedAndChangesNothing() async throws {
        _ = try await enroller.enrol(EnrolmentOptions(loaded: try study()))
        let before = try await database.events().count
        let error = await #expect(throws: EnrolmentError.self) {
            try await enroller.enrol(EnrolmentOptions(loaded: try study()))
        }
        #expect(error == .alreadyEnrolled("GENERATED"))
        #expect(error?.description.contains("studyd withdraw") == true)
        #expect(try await database.events().count == before)
    }

    @Test func freeTextWithoutMicrophoneIsRefusedByNameAndNothingIsStored() async throws {
        let error = await #expect(throws: EnrolmentError.self) {
            try await deaf.enrol(EnrolmentOptions(loaded: try study(AgentFixture.yesNo + "," + AgentFixture.freeText)))
        }
        #expect(error?.description.contains("moment/words") == true)
        #expect(error?.description.contains("microphone") == true)
        #expect(error?.description.contains("moment/alone") == false)
        #expect(try await database.events().isEmpty)
        #expect(try await database.items().isEmpty)
        #expect(try await database.latestEnrolment() == nil)
    }

    /// `arm` is the arm of a module with free text, which the deaf board cannot ask; `more`
    /// is put before it.
    private func armed(_ arm: String, postURL: String = "http://127.0.0.1/post", more: String = "") throws
        -> LoadedStudy
    {
        let alerts = #""alerts":{"start_offset":0,"duration":1,"times":[{"hours":9,"minutes":0}]}"#
        let text = """
            {"properties":{"study_id":"ARMS","post_url":"\(postURL)","conditions":["A","B"]},"modules":[\(more)
            {"uuid":"all","name":"all","condition":"*",\(alerts),"sections":[{"questions":[\(AgentFixture.yesNo)]}]},
            {"uuid":"own","name":"own","condition":"\(arm)",\(alerts),"sections":[{"questions":[\(AgentFixture.freeText)]}]}]}
            """
        return try LoadedStudy(Array(text.utf8), origin: "arms.json")
    }

    @Test func whatOnlyOneArmNeedsDoesNotRefuseTheOthers() async throws {
        let study = try armed("B").study
        for seed in 0..<8 {
            let chance = Chance(enrolmentSeed: try EnrolmentSeed.numbered(UInt64(seed)))
            let options = EnrolmentOptions(loaded: try armed("B"), seed: UInt64(seed))
            if ChanceDraw.condition(of: study, chance: chance)?.result == "A" {
                #expect(try await deaf.enrol(options).condition == "A")
                clock.advance(to: clock.monotonic + .seconds(60))
                _ = try await deaf.withdraw(deletesUnsent: nil)
            } else {
                let error = await #expect(throws: EnrolmentError.self) { try await deaf.enrol(options) }
                #expect(
                    error?.description.contains("\"B\"") == true && error?.description.contains("own/words") == true)
            }
        }
        let everybody = await #expect(throws: EnrolmentError.self) {
            try await deaf.enrol(EnrolmentOptions(loaded: try armed("*")))
        }
        if case .refused = everybody {} else { Issue.record("\(String(describing: everybody))") }
    }

    @Test func anAddressThatCanNeverBeReachedIsRefusedUnlessAnotherIsGiven() async throws {
        for url in ["example.org/post", "htps://example.org", "https://"] {
            let error = await #expect(throws: EnrolmentError.self) {
                try await enroller.enrol(EnrolmentOptions(loaded: try armed("*", postURL: url)))
            }
            #expect(error?.description.contains("--post-url") == true)
        }
        #expect(try await database.latestEnrolment() == nil)
        let options = EnrolmentOptions(
            loaded: try armed("*", postURL: "example.org/post"), postURL: "https://example.org/post")
        #expect(try await enroller.enrol(options).postURL == "https://example.org/post")
    }

    /// Of the address only where none is given in its place.
    @Test(
        arguments: [("http://127.0.0.1/post", nil), ("example.org/post", "https://example.org/post")]
            as [(String, String?)])
    func enrolmentRepeatsWhatIsUnsupportedAndWhatIsDoubtful(postURL: String, given: String?) async throws {
        let film = """
            {"uuid":"film","name":"film","condition":"*","unlock_after":["gone"],
            "alerts":{"start_offset":0,"duration":1,"times":[{"hours":9,"minutes":0}]},"sections":[{"questions":[
            {"id":"film","type":"media","subtype":"video","src":"https://example.org/f.mp4","text":"Look"}]}]},
            """
        let remarks = EnrolmentRemarks()
        let options = EnrolmentOptions(loaded: try armed("*", postURL: postURL, more: film), postURL: given)
        _ = try await enroller.enrol(options) { remarks.record($0) }
        #expect(remarks.lines.contains("not supported: $.modules[0].sections[0].questions[0].src"))
        #expect(remarks.lines.contains("WARNING $.modules[0].unlock_after[0]"))
        #expect(!remarks.lines.contains("post_url"))
    }

    @Test func theConditionFollowsFromTheSeed() async throws {
        var conditions: [String?] = []
        for seed in 0..<12 {
            let record = try await enroller.enrol(EnrolmentOptions(loaded: try study(), seed: UInt64(seed)))
            let chance = Chance(enrolmentSeed: try EnrolmentSeed.numbered(UInt64(seed)))
            #expect(record.condition == ChanceDraw.condition(of: try study().study, chance: chance)?.result)
            conditions.append(record.condition)
            clock.advance(to: clock.monotonic + .seconds(60))
            _ = try await enroller.withdraw(deletesUnsent: nil)
        }
        #expect(Set(conditions) == ["A", "B"])
    }

    @Test func theParticipantIsKeptOverWithdrawalAndAnotherStudy() async throws {
        let first = try await enroller.enrol(EnrolmentOptions(loaded: try study()))
        let alphabet = Set("23456789ABDEGJKMNPQRVWXYZ")
        #expect(first.participant.count == 8 && first.participant.allSatisfy(alphabet.contains))
        _ = try await enroller.withdraw(deletesUnsent: nil)
        clock.advance(to: clock.monotonic + .seconds(60))
        let again = try await enroller.enrol(EnrolmentOptions(loaded: try LoadedStudy.load(AgentFixture.sleepStudy)))
        #expect(again.participant == first.participant)
        #expect(again.id != first.id && again.seed != first.seed)
    }

    /// The app removes `current-study` and `study-tasks` only; what it calls `pending-log` and
    /// `pending-data` stays and is tried again (schema-app/schema, commit 45fd178: tab3.page.ts,
    /// survey-data.service.ts).
    @Test func withdrawalKeepsWhatIsUnsentAndThenQueuesTheNotice() async throws {
        let record = try await enroller.enrol(EnrolmentOptions(loaded: try study()))
        clock.advance(to: clock.monotonic + .seconds(60))
        _ = try await enroller.withdraw(deletesUnsent: nil)
        #expect(try await forms() == ["home enrol", "settings withdraw"])
        let unsent = try await database.unsent(of: record.id)
        #expect(unsent.count == 2 && unsent.addresses == ["http://127.0.0.1/post"])
        let error = await #expect(throws: EnrolmentError.self) { _ = try await enroller.withdraw(deletesUnsent: nil) }
        #expect(error == .notEnrolled)
    }

    @Test func whatTheServerRefusedIsNotSaidToBeSent() async throws {
        let record = try await enroller.enrol(EnrolmentOptions(loaded: try study()))
        clock.advance(to: clock.monotonic + .seconds(60))
        _ = try await enroller.withdraw(deletesUnsent: nil)
        let stamp = EventClock(clock: clock, bootID: "boot", zone: .utc).stamp(record.id)
        let delivery = WithdrawalDelivery(database: database, clock: clock)
        var said: [String] = []
        for result in [UploadResult.refused(reason: "wrong key"), .delivered(receipt: "200")] {
            let item = try #require(try await database.items(in: .waiting).first?.item.id)
            #expect(try await database.startUpload(item, at: stamp))
            try await database.finishUpload(item, result, at: stamp)
            said.append("\(try await delivery.summary(of: record))")
        }
        #expect(said[0].contains("1 item is not sent yet") && said[0].contains("1 item refused"), "\(said)")
        #expect(said[1].hasPrefix("1 item refused by the server") && said[1].contains("'studyd outbox'"), "\(said)")
        let item = try #require(try await database.items(in: .refused).first?.item.id)
        try await database.deleteItem(item, reason: "by hand", at: stamp)
        #expect(try await delivery.summary(of: record).description == "everything has been sent")
    }

    @Test func unsentDataIsDeletedWhereThatIsAskedFor() async throws {
        let record = try await enroller.enrol(EnrolmentOptions(loaded: try study()))
        #expect(try await forms() == ["home enrol"])
        clock.advance(to: clock.monotonic + .seconds(60))
        _ = try await enroller.withdraw(deletesUnsent: true)
        #expect(try await forms() == ["settings withdraw"])
        let counts = try await database.counts()
        #expect(counts.items == [.deleted: 1, .waiting: 1] && counts.isBalanced)
        #expect(try await database.latestEnrolment()?.withdrawn != nil)
        let delivery = WithdrawalDelivery(database: database, clock: clock)
        let before = try await delivery.summary(of: record).description
        #expect(before.hasPrefix("what was not sent was deleted; 1 item is not sent yet"), "\(before)")
        let notice = try #require(try await database.items(in: .waiting).first?.item.id)
        let stamp = EventClock(clock: clock, bootID: "boot", zone: .utc).stamp(record.id)
        #expect(try await database.startUpload(notice, at: stamp))
        try await database.finishUpload(notice, .delivered(receipt: "200"), at: stamp)
        #expect(try await delivery.summary(of: record).description == "what was not sent was deleted")
    }

    /// Prompts that were open when the participant left end too.
    @Test func whatIsOpenAtAWithdrawalEnds() async throws {
        let record = try await enroller.enrol(EnrolmentOptions(loaded: try study()))
        let due = clock.now
        let open = Occurrence(
            id: "moment/1", task: "moment", taskIndex: 0, number: 1, local: LocalDateTime(due, offset: 0), due: due,
            expires: nil)
        let stamp = EventStamp(
            wall: due, monotonic: clock.monotonic, bootID: "boot", zoneOffset: 0, enrolment: record.id)
        try await database.append([.prompted(occurrence: OccurrenceRecord(open))], at: stamp)
        _ = try await enroller.withdraw(deletesUnsent: nil)
        #expect(try await database.occurrences(of: record.id, onlyOpen: true).isEmpty)
        #expect(try await database.outcomes(of: record.id) == ["moment/1": .interrupted])
    }
}
