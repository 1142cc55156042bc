// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Synchronization
import Testing

@testable import PlatformMyStudies

/// What is asked of the study metadata server when a version is new, known, or one that this
/// board cannot run.
struct MyStudiesNewsTests {
    /// Answers `studyUpdates` as the server does (study-metadata's `StudyUpdatesResponse`), and
    /// has nothing else.
    private final class Metadata: PlatformDevice {
        private let version: String
        private let asked = Mutex<[String]>([])
        /// Without their queries.
        var addresses: [String] { asked.withLock { $0 } }
        var paths: [String] { addresses.map { String($0.split(separator: "/").last ?? "") } }

        init(version: String) { self.version = version }

        func send(_ request: WireRequest) throws -> ServerAnswer {
            asked.withLock { $0.append(String(request.url.prefix { $0 != "?" })) }
            let text =
                #"{"message":"SUCCESS","currentVersion":"\#(version)","updates":{"consent":false,"activities":true,"resources":false,"info":false,"status":"Active"}}"#
            let isThere = request.url.contains("studyUpdates")
            return ServerAnswer(status: isThere ? 200 : 404, body: isThere ? Array(text.utf8) : [])
        }

        func download(_ request: WireRequest) throws -> ServerAnswer { try send(request) }
        func secret(_ credential: String) throws -> String { "" }
    }

    /// Answers `notifications` as the server does (GoogleCloudPlatform/fda-mystudies 7f3ea838,
    /// study-datastore AppMetaDataDao.java:130-207): twenty of all studies from `skip` on, the latest
    /// first, and without a `verificationTime` those of the gateway alone.
    private final class Messages: PlatformDevice {
        private let studies: [String]
        private let isEarly: Bool
        private let asked = Mutex(0)
        var count: Int { asked.withLock { $0 } }

        /// `studies` are those of the messages, the latest first, which are named by their place from
        /// the oldest. The early server knows no parameter.
        init(_ studies: [String], isEarly: Bool = false) { (self.studies, self.isEarly) = (studies, isEarly) }

        func send(_ request: WireRequest) throws -> ServerAnswer {
            asked.withLock { $0 += 1 }
            let query = request.url.drop { $0 != "?" }.dropFirst().split(separator: "&").map(String.init)
            let skip = query.first { $0.hasPrefix("skip=") }.flatMap { Int($0.dropFirst(5)) } ?? 0
            let isVerified = isEarly || query.contains("verificationTime=1970-01-02%2000%3A00%3A00")
            let page = studies.indices.dropFirst(isEarly ? 0 : skip).prefix(20).filter {
                isVerified || studies[$0].isEmpty
            }
            let entries = page.map { place in
                #"{"notificationId":"\#(studies.count - place)","studyId":"\#(studies[place])","title":"t","message":"m","date":""}"#
            }
            let text = #"{"message":"SUCCESS","notifications":[\#(entries.joined(separator: ","))]}"#
            return ServerAnswer(status: 200, body: Array(text.utf8))
        }

        func download(_ request: WireRequest) throws -> ServerAnswer { try send(request) }
        func secret(_ credential: String) throws -> String { "" }
    }

    /// Answers by the last part of the path, and has nothing else.
    private final class Answers: PlatformDevice {
        private let texts: [String: String]
        private let failing: String?
        private let asked = Mutex<[String]>([])
        var names: [String] { asked.withLock { $0 } }

        init(_ texts: [String: String], failing: String? = nil) { (self.texts, self.failing) = (texts, failing) }

        func send(_ request: WireRequest) throws -> ServerAnswer {
            let name = request.url.prefix { $0 != "?" }.split(separator: "/").last.map(String.init) ?? ""
            asked.withLock { $0.append(name) }
            if name == failing { return ServerAnswer(status: 500, body: []) }
            guard let text = texts[name] else { return ServerAnswer(status: 404, body: []) }
            return ServerAnswer(status: 200, body: Array(text.utf8))
        }

        func download(_ request: WireRequest) throws -> ServerAnswer { try send(request) }
        func secret(_ credential: String) throws -> String { "" }
    }

    /// What is absent, or neither true nor false, is no news.
    @Test(arguments: [
        ("{}", false, false), (#"{"consent":true}"#, false, true), (#"{"consent":false}"#, false, false),
        (#"{"consent":null}"#, false, false), (#"{"activities":true}"#, true, false),
        (#"{"resources":true}"#, true, false), (#"{"info":true}"#, true, false),
        (#"{"activities":false,"resources":false,"info":false}"#, false, false),
        (#"{"info":true,"consent":true}"#, true, true), ("null", false, false),
    ])
    func whatTheServerDoesNotSayIsNoNews(updates: String, hasNews: Bool, hasNewConsent: Bool) throws {
        let device = Answers(["studyUpdates": #"{"currentVersion":"1.1","updates":\#(updates)}"#])
        let metadata = MyStudiesMetadata(
            "http://127.0.0.1/m", MyStudiesSettings(response: "http://127.0.0.1/r"), over: device)
        let found = try #require(try metadata.updates(of: "S", since: "1.0"))
        #expect(found.hasNews == hasNews && found.hasNewConsent == hasNewConsent && found.version == "1.1")
    }

    /// What the list does not say of a study is as the apps take it: open, and open again to those who left.
    @Test(
        arguments: [
            ("", true, true, nil), (#","settings":{}"#, true, true, nil),
            (#","settings":{"enrolling":true,"rejoin":true}"#, true, true, nil),
            (#","settings":{"enrolling":false,"rejoin":true}"#, false, true, nil),
            (#","settings":{"enrolling":true,"rejoin":false}"#, true, false, nil),
            (#","settings":{"enrolling":null,"rejoin":null},"status":"Paused""#, true, true, "Paused"),
        ] as [(String, Bool, Bool, String?)])
    func theListSaysWhetherAStudyIsOpen(more: String, isEnrolling: Bool, allowsRejoining: Bool, status: String?)
        throws
    {
        let other = #"{"studyId":"T","settings":{"enrolling":false,"rejoin":false}}"#
        let device = Answers(["studyList": #"{"studies":[\#(other),{"studyId":"s"\#(more)}]}"#])
        let settings = try MyStudiesSettings(
            MyStudiesAccountTests.Table(texts: ["response": "http://127.0.0.1/r", "organisation": "O"]))
        let metadata = MyStudiesMetadata("http://127.0.0.1/m", settings, over: device)
        let found = try #require(try metadata.entry(of: "S"))
        #expect(found.isEnrolling == isEnrolling && found.allowsRejoining == allowsRejoining)
        #expect(found.status == status)
        #expect(try metadata.entry(of: "U") == nil)
    }

    /// `Active`, `Paused`, `Upcoming` and `Closed` are what the list says of a study.
    @Test(
        arguments: [
            (nil, true, nil), ("Active", true, nil), ("ACTIVE", true, nil), ("Paused", true, "it is Paused"),
            ("Upcoming", true, "it is Upcoming"), ("Closed", true, "it is Closed"), ("", true, "it is "),
            ("Active", false, "it is Active, and enrolment is switched off"),
            (nil, false, "it is active, and enrolment is switched off"),
            ("Closed", false, "it is Closed, and enrolment is switched off"),
        ] as [(String?, Bool, String?)])
    func onlyAnOpenStudyTakesParticipants(_ status: String?, _ isEnrolling: Bool, _ says: String?) throws {
        let entry = MyStudiesMetadata.Entry(
            title: "", version: nil, status: status, isEnrolling: isEnrolling, allowsRejoining: true)
        guard let says else { return try MyStudiesMetadata.refuseClosed(entry, study: "S") }
        let error = #expect(throws: PlatformServerError.self) {
            try MyStudiesMetadata.refuseClosed(entry, study: "S")
        }
        #expect(error?.explanation.cause == "study S is not open for enrolment: " + says)
        #expect(error?.explanation.remedy?.contains("the token was not used") == true)
    }

    /// A server without a list, or whose list does not have it, says nothing against it.
    @Test func aStudyThatTheServerDoesNotListIsNotRefused() {
        #expect(throws: Never.self) { try MyStudiesMetadata.refuseClosed(nil, study: "S") }
    }

    /// The list asks for an organisation; without one `studyUpdates` alone is known.
    @Test func withoutAnOrganisationAStudyIsTakenToBeOpen() throws {
        let device = Answers([
            "studyUpdates": #"{"currentVersion":"1.1","updates":{"status":"Closed"}}"#,
            "studyList": #"{"studies":[{"studyId":"S","settings":{"enrolling":false,"rejoin":false}}]}"#,
        ])
        let metadata = MyStudiesMetadata(
            "http://127.0.0.1/m", MyStudiesSettings(response: "http://127.0.0.1/r"), over: device)
        let found = try #require(try metadata.entry(of: "S"))
        #expect(found.isEnrolling && found.allowsRejoining && found.version == "1.1" && found.status == "Closed")
    }

    private static let (a, b) = (
        MyStudiesBadInputTests.listed("A", "1.0"), MyStudiesBadInputTests.listed("B", "1.0")
    )

    @Test(
        arguments: [
            (a, []), (a + "," + b, []), (b, ["A"]), ("", ["A"]), (MyStudiesBadInputTests.deleted("A"), ["A"]),
            (MyStudiesBadInputTests.deleted("A") + "," + b, ["A"]),
        ] as [(String, [String])])
    func whatTheListNoLongerHasIsTakenOutOfTheStudy(list: String, deleted: [String]) throws {
        let text = MyStudiesBadInputTests.file("A", "1.0", MyStudiesBadInputTests.boolean)
        let device = Answers([
            "studyUpdates": #"{"currentVersion":"1.1","updates":{"activities":true}}"#,
            "activityList": #"{"activities":[\#(list)]}"#, "activity": text,
        ])
        let news = MyStudiesServer(MyStudiesSettings(response: "http://127.0.0.1/r"), over: device).news(
            since: KnownStudy(
                source: "http://127.0.0.1/m", participant: "p",
                study: try MyStudiesReader().decode(StudySource(Array(text.utf8))), bytes: Array(text.utf8),
                version: "1.0", refused: nil, status: "Active", messages: [], variables: [:], zone: .utc))
        #expect(news.deleted == Set(deleted) && news.version?.text == "1.1", "\(news.faults)")
    }

    /// The version that was known, the one that the server has, and what is new.
    @Test(
        arguments: [
            ("1.0", true, "2.0", "2.0", true), ("2.0", true, "2.0", nil, false), ("1.0", false, "2.0", nil, false),
            // A device that has not asked yet, and a server that names no version.
            (nil, false, "1.0", "1.0", false), (nil, false, nil, "", false), ("", true, nil, nil, true),
        ] as [(String?, Bool, String?, String?, Bool)])
    func theVersionOfAChangedConsentIsAskedFor(
        known: String?, changed: Bool, served: String?, news: String?, announced: Bool
    ) throws {
        let text = MyStudiesBadInputTests.file("A", "1.0", MyStudiesBadInputTests.boolean)
        var answers = ["studyUpdates": #"{"currentVersion":"1.1","updates":{"consent":\#(changed)}}"#]
        answers["eligibilityConsent"] = served.map { #"{"consent":{"version":"\#($0)"}}"# }
        answers["activityList"] = #"{"activities":[]}"#
        let found = MyStudiesServer(MyStudiesSettings(response: "http://127.0.0.1/r"), over: Answers(answers)).news(
            since: KnownStudy(
                source: "http://127.0.0.1/m", participant: "p",
                study: try MyStudiesReader().decode(StudySource(Array(text.utf8))), bytes: Array(text.utf8),
                version: "1.0", refused: nil, status: "Active", messages: [], variables: [:], zone: .utc,
                consent: known))
        #expect(found.consent == news && found.hasNewConsent == announced, "\(found.faults)")
    }

    @Test(
        arguments: [("1.0", true, true), ("1.0", false, false), (nil, true, true), (nil, false, false)]
            as [(String?, Bool, Bool)])
    func aStudyIsFollowedWhileItsConsentCannotBeAskedFor(known: String?, changed: Bool, announced: Bool) throws {
        let text = MyStudiesBadInputTests.file("A", "1.0", MyStudiesBadInputTests.boolean)
        let device = Answers(
            [
                "studyUpdates": #"{"currentVersion":"1.1","updates":{"consent":\#(changed)}}"#,
                "activityList": #"{"activities":[\#(Self.a)]}"#, "activity": text,
            ], failing: "eligibilityConsent")
        let news = MyStudiesServer(MyStudiesSettings(response: "http://127.0.0.1/r"), over: device).news(
            since: KnownStudy(
                source: "http://127.0.0.1/m", participant: "p",
                study: try MyStudiesReader().decode(StudySource(Array(text.utf8))), bytes: Array(text.utf8),
                version: "1.0", refused: nil, status: "Active", messages: [], variables: [:], zone: .utc,
                consent: known))
        #expect(news.version?.text == "1.1" && news.hasNewConsent == announced)
        #expect(news.consent == (changed ? "?" : nil))
        #expect(news.faults.contains { $0.contains("eligibilityConsent") } == (changed || known == nil))
    }

    /// Announced once, when it became known that there is another.
    @Test func aConsentThatCouldNotBeAskedForIsAskedForAgain() throws {
        let text = MyStudiesBadInputTests.file("A", "1.0", MyStudiesBadInputTests.boolean)
        for (answer, consent) in [(#"{"consent":{"version":"2.0"}}"#, "2.0"), ("<html>", nil)] as [(String, String?)] {
            let device = Answers([
                "studyUpdates": #"{"currentVersion":"1.1","updates":{"consent":false}}"#,
                "eligibilityConsent": answer,
            ])
            let news = MyStudiesServer(MyStudiesSettings(response: "http://127.0.0.1/r"), over: device).news(
                since: KnownStudy(
                    source: "http://127.0.0.1/m", participant: "p",
                    study: try MyStudiesReader().decode(StudySource(Array(text.utf8))), bytes: Array(text.utf8),
                    version: "1.1", refused: nil, status: "Active", messages: [], variables: [:], zone: .utc,
                    consent: "?"))
            #expect(news.consent == consent && !news.hasNewConsent)
        }
    }

    @Test(
        arguments: [
            (#"{"consent":{"version":"2.0"}}"#, "2.0"), (#"{"message":"SUCCESS"}"#, nil), ("", nil), (nil, nil),
            ("<html>", "is not JSON"), (#"{"consent":{"version":"2"#, "is not JSON"),
        ] as [(String?, String?)])
    func onlyAServerThatSaysSoHasNoConsent(answer: String?, found: String?) throws {
        var answers: [String: String] = [:]
        answers["eligibilityConsent"] = answer
        let metadata = MyStudiesMetadata(
            "http://127.0.0.1/m", MyStudiesSettings(response: "http://127.0.0.1/r"), over: Answers(answers))
        do {
            #expect(try metadata.consent(of: "S")?.version == found)
        } catch let error as PlatformServerError {
            #expect("\(error)".contains(found ?? "no fault"), "\(error)")
        }
    }

    /// Before the token is used; to look at the study needs no consent.
    @Test(
        arguments: [
            (false, nil, true), (true, nil, false), (nil, nil, false), (false, "true", false),
        ] as [(Bool?, String?, Bool)])
    func whoSharesNothingCannotEnrolWhereTheStudyNeedsIt(allows: Bool?, sharing: String?, isRefused: Bool) throws {
        let more = allows.map { #","allowWithoutSharing":\#($0)"# } ?? ""
        let asked = #"{"version":"1.0","sharing":{"shortDesc":"us","longDesc":"us","learnMore":"m"\#(more)}}"#
        let device = Answers([
            "activityList": #"{"activities":[]}"#, "eligibilityConsent": #"{"consent":\#(asked)}"#,
            "response-enroll.api": #"{"data":{"appToken":"K"}}"#,
        ])
        let server = MyStudiesServer(MyStudiesSettings(response: "http://127.0.0.1/r"), over: device)
        var arguments = PlatformArguments()
        arguments.add("study", "S")
        let request = JoinRequest(
            source: "http://127.0.0.1/m", arguments: arguments,
            consent: sharing.map { .init(version: "1.0", sharing: $0) })
        let join = try #require(try server.offer(request).plan.join)
        guard isRefused else {
            #expect(try join() == "K")
            return
        }
        let error = #expect(throws: PlatformServerError.self) { try join() }
        #expect("\(try #require(error))".contains("--consent FILE (the token was not used)"))
    }

    /// A server that refuses the account is named before the token is used.
    @Test(arguments: [true, false]) func aRefusedAccountKeepsTheTokenUnused(isRefused: Bool) throws {
        let device = Answers([
            "activityList": #"{"activities":[]}"#, "response-enroll.api": #"{"data":{"appToken":"K"}}"#,
            "fdahpuserregws-login.api": isRefused ? "{}" : #"{"userId":"u","auth":"a"}"#,
        ])
        let registration = ["url": "http://127.0.0.1/reg", "account": "a@b.org", "credential": "c"]
        let table = MyStudiesAccountTests.Table(
            texts: ["response": "http://127.0.0.1/r"], sections: ["registration": registration])
        let server = MyStudiesServer(try MyStudiesSettings(table), over: device)
        var arguments = PlatformArguments()
        arguments.add("study", "S")
        let offer = try server.offer(JoinRequest(source: "http://127.0.0.1/m", arguments: arguments))
        let join = try #require(offer.plan.join)
        if isRefused {
            #expect(throws: PlatformServerError.self) { try join() }
        } else {
            #expect(try join() == "K")
        }
        #expect(device.names.contains("response-enroll.api") == !isRefused)
    }

    /// Only a consent that was given is held against the study's.
    @Test(arguments: [(nil, nil), ("2.0", "2.0")] as [(String?, String?)])
    func whoGivesNoConsentEnrolsWhileItCannotBeAskedFor(served: String?, version: String?) throws {
        let consent = #"{"consent":{"version":"\#(served ?? "")"}}"#
        let device = Answers(
            ["activityList": #"{"activities":[]}"#, "eligibilityConsent": consent],
            failing: served == nil ? "eligibilityConsent" : nil)
        let server = MyStudiesServer(MyStudiesSettings(response: "http://127.0.0.1/r"), over: device)
        var arguments = PlatformArguments()
        arguments.add("study", "S")
        let without = JoinRequest(source: "http://127.0.0.1/m", arguments: arguments)
        #expect(try server.offer(without).plan.consentVersion == version)
        let given = JoinRequest(
            source: "http://127.0.0.1/m", arguments: arguments, consent: .init(version: "2.0", sharing: nil))
        if served == nil {
            #expect(throws: DownloadError.self) { try server.offer(given) }
        } else {
            #expect(try server.offer(given).plan.consentVersion == version)
        }
    }

    @Test(
        arguments: [
            // Twenty newer ones of another study, and of the gateway, hide nothing.
            (Array(repeating: "OTHER", count: 20) + ["S"], [], ["1"], 3),
            (Array(repeating: "", count: 45) + ["S", "S"], ["1"], ["2"], 4),
            // One that is known, and none that is new: the end.
            (["S"] + Array(repeating: "OTHER", count: 30), ["31"], [], 1),
            (["S"] + Array(repeating: "S", count: 30), Set((1...30).map(String.init)), ["31"], 2),
            ([], [], [], 1), (["OTHER"], [], [], 2),
        ] as [([String], Set<String>, [String], Int)])
    func messagesOfOtherStudiesHideNone(_ studies: [String], _ known: Set<String>, _ found: [String], _ asked: Int)
        throws
    {
        let device = Messages(studies)
        let metadata = MyStudiesMetadata(
            "http://127.0.0.1/m", MyStudiesSettings(response: "http://127.0.0.1/r"), over: device)
        #expect(try metadata.messages(of: "S", except: known).map(\.id) == found)
        #expect(device.count == asked)
    }

    @Test func aServerWithoutPagesIsAskedTwice() throws {
        let device = Messages(["OTHER", "OTHER"], isEarly: true)
        let metadata = MyStudiesMetadata(
            "http://127.0.0.1/m", MyStudiesSettings(response: "http://127.0.0.1/r"), over: device)
        #expect(try metadata.messages(of: "S", except: []).isEmpty && device.count == 2)
    }

    /// Of deleted ones the metadata is not asked for.
    @Test(arguments: [(0, false), (1_000, false), (1_001, true)])
    func aThousandActivitiesAreTaken(_ count: Int, _ isRefused: Bool) throws {
        let entries = Array(repeating: #"{"activityId":"A","state":"deleted"}"#, count: count)
        let list = Array(#"{"activities":[\#(entries.joined(separator: ","))]}"#.utf8)
        let metadata = MyStudiesMetadata(
            "http://127.0.0.1/m", MyStudiesSettings(response: "http://127.0.0.1/r"), over: Metadata(version: "1.1"))
        guard isRefused else {
            let files = try metadata.files(of: "S", entry: nil, list: list)
            return #expect(files.map(\.name) == ["activityList.json", "study.json"])
        }
        let error = #expect(throws: PlatformServerError.self) { try metadata.files(of: "S", entry: nil, list: list) }
        let said = "\(try #require(error))"
        #expect(said.contains("1001 activities; at most 1000 are taken"), "\(said)")
    }

    /// Dates it has had, and the external system's value, are kept beside it.
    @Test(
        arguments: [("2026-03-01", "A", []), ("2026-03-02", "A", ["v"]), ("2026-03-01", "B", ["v"])]
            as [(String, String, [String])])
    func aPersonIsToldOfADateOnce(day: String, external: String, learned: [String]) throws {
        let settings = MyStudiesSettings(response: "http://127.0.0.1/r")
        let address = try #require(settings.address(of: "executeSQL").split(separator: "/").last)
        let row = #"{"Birth":{"value":"\#(day)"},"BirthExternalId":{"value":"\#(external)"}}"#
        let device = Answers([String(address): #"{"rows":[{"data":\#(row)}]}"#])
        let text = MyStudiesBadInputTests.file("A", "1.0", MyStudiesBadInputTests.boolean)
        var study = try MyStudiesReader().decode(StudySource(Array(text.utf8)))
        study.anchors = AnchorDates()
        study.anchors?.server = [MyStudiesRowsTests.property]
        let news = MyStudiesServer(settings, over: device).news(
            since: KnownStudy(
                source: "http://127.0.0.1/m", participant: "p", study: study, bytes: Array(text.utf8), version: "1.0",
                refused: nil, status: "Active", messages: [],
                variables: [
                    "v": try MyStudiesRowsTests.date("2026-03-01T00:00:00"), "v/all": .choices(["2026-03-01"]),
                    "v/external": .text("A"),
                ], zone: .utc))
        #expect(news.learned == learned && news.values.isEmpty == learned.isEmpty, "\(news.values) \(news.faults)")
    }

    /// The version that the server has, the refused one, and that which is found with the bytes that are known.
    @Test(
        arguments: [
            ("1.0", nil, nil), ("1.0", "1.1", "1.0"), ("1.0", "1.0", "1.0"), ("1.1", "1.1", nil),
        ] as [(String, String?, String?)])
    func aServerThatWasPutBackHasWhatIsKnown(version: String, refused: String?, found: String?) throws {
        let bytes = Array(MyStudiesBadInputTests.file("A", "1.0", MyStudiesBadInputTests.boolean).utf8)
        let device = Answers(["studyUpdates": #"{"currentVersion":"\#(version)","updates":{}}"#])
        let news = MyStudiesServer(MyStudiesSettings(response: "http://127.0.0.1/r"), over: device).news(
            since: KnownStudy(
                source: "http://127.0.0.1/m", participant: "p", study: try MyStudiesReader().decode(StudySource(bytes)),
                bytes: bytes, version: "1.0", refused: refused, status: "Active", messages: [], variables: [:],
                zone: .utc, consent: ""))
        #expect(news.version == found.map { ServerUpdate.Version($0, bytes: bytes) }, "\(news.faults)")
        #expect(news.faults.isEmpty)
    }

    @Test(arguments: ["/m", "/m/", "/m/StudyMetaData", "/m/StudyMetaData/"])
    func aSlashBehindTheAddressOfTheServerIsNotDoubled(path: String) throws {
        let device = Metadata(version: "1.1")
        let metadata = MyStudiesMetadata(
            "http://127.0.0.1" + path, MyStudiesSettings(response: "http://127.0.0.1/r"), over: device)
        #expect(try metadata.updates(of: "S", since: "1.0")?.version == "1.1")
        #expect(device.addresses == ["http://127.0.0.1/m/StudyMetaData/studyUpdates"])
    }

    /// A version that the server was put back to, or whose content is corrected under the same number, is looked at.
    @Test(
        arguments: [
            ("1.1", "1.1", false), ("1.2", "1.1", true), ("1.1", nil, true), ("1.0", "1.1", true), ("1.0", "1.0", true),
        ] as [(String, String?, Bool)])
    func aVersionThatThisBoardRefusedIsNotFetchedAgain(version: String, refused: String?, isFetched: Bool) throws {
        let task = try MyStudiesReaderTests.activity(MyStudiesReaderTests.question("boolean", ""))
        let text = """
            {"message":"SUCCESS","activity":{"type":"questionnaire","metadata":{"studyId":"S","activityId":"A","version":"2.1"},
            "steps":[\(MyStudiesReaderTests.question("boolean", ""))]}}
            """
        let study = try MyStudiesReader().decode(StudySource(Array(text.utf8)))
        #expect(study.tasks[0].key == task.key)
        let device = Metadata(version: version)
        let server = MyStudiesServer(MyStudiesSettings(response: "http://127.0.0.1/r"), over: device)
        let news = server.news(
            since: KnownStudy(
                source: "http://127.0.0.1/m", participant: "p", study: study, bytes: Array(text.utf8), version: "1.0",
                refused: refused, status: "Active", messages: [], variables: [:], zone: .utc, consent: ""))
        #expect(device.paths.contains("studyUpdates"))
        #expect(
            Set(device.paths).subtracting(["studyUpdates", "notifications"]).isEmpty == !isFetched, "\(device.paths)")
        #expect(news.faults.isEmpty == !isFetched && news.version == nil, "\(news.faults)")
    }
}
