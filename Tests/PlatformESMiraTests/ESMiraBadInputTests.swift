// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformFixtures
import Study
import Synchronization
import Testing

@testable import PlatformESMira

/// What a server may answer instead of a study: the reason is said in words, and what is known
/// stays. The texts are those of ESMira-web 3.5.1.
@Suite struct ESMiraBadInputTests {
    static let answers: [(body: String, says: String)] = [
        ("", "the server's answer is empty"), (" \n", "the server's answer is empty"),
        ("<html><body>502 Bad Gateway</body></html>", "it does not say whether the request worked"),
        ("[]", "it does not say whether the request worked"),
        (#"{"success":false,"serverVersion":11,"error":"Server is not ready.","errorCode":0}"#, "Server is not ready."),
        (
            #"{"success":false,"serverVersion":11,"error":"This app is outdated. Aborting","errorCode":0}"#,
            "a newer program is needed"
        ),
        (#"{"success":false}"#, "without giving a reason"),
        (#"{"success":true,"serverVersion":11}"#, "contains no dataset"),
    ]

    @Test(arguments: answers)
    func aServerThatAnswersNothingOfUseIsQuotedAtJoining(_ body: String, _ says: String) {
        #expect {
            _ = try ESMiraServer(Answering(body: Array(body.utf8))).offer(
                JoinRequest(source: "https://s.example/app-7-mood"))
        } throws: { error in
            "\(error)".contains(says) && "\(error)".contains("s.example")
        }
    }

    @Test(arguments: [
        (
            "https://s.example/app-mood",
            "the access key mood opens no study there; check key and address with the study team"
        ),
        (
            "https://s.example/",
            "no study is open without a key; add --access-key KEY, of the study's QR code or invitation"
        ),
    ]) func anAccessKeyThatOpensNothingIsNamed(_ source: String, _ words: String) {
        let body = Array(#"{"success":true,"serverVersion":11,"dataset":[]}"#.utf8)
        #expect {
            _ = try ESMiraServer(Answering(body: body)).offer(JoinRequest(source: source))
        } throws: { "\($0)" == "https://s.example/: " + words }
    }

    static func known(key: String = "mood", language: String = "en", refused: String? = nil) throws -> KnownStudy {
        var source = StudySource(Array(ESMiraSample.text(ESMiraSample.pages, language: language).utf8))
        source.options.accessKey = key
        source.options.serverAddress = "https://s.example/"
        return KnownStudy(
            source: "https://s.example/app-mood", participant: "aB3d-Ef5G-hJ7k",
            study: try ESMiraReader().decode(source),
            bytes: StudyBundle.bytes(
                [.init(name: "study.json", bytes: source.files[0].bytes)], options: source.options),
            version: nil, refused: refused, status: nil, messages: [], variables: [:], zone: .utc)
    }

    @Test(arguments: answers)
    func aServerThatAnswersNothingOfUseChangesNothingOfARunningStudy(_ body: String, _ says: String) throws {
        let news = ESMiraServer(Answering(body: Array(body.utf8))).news(since: try Self.known())
        #expect(news.version == nil && news.messages.isEmpty)
        #expect(news.faults.count == 1 && news.faults[0].contains(says), "\(news.faults)")
    }

    /// The server sends a study while it is newer, and nothing of one that is not.
    @Test(
        arguments: [
            (nil, "{}", nil), ("4", "{}", "3"), ("4", #"{"4711":{"msgs":[]}}"#, "3"),
            ("4", #"{"4711":{"study":{"version":4}}}"#, "4"), ("4", #"{"4711":{"errorCode":"wrongAccessKey"}}"#, nil),
        ] as [(String?, String, String?)])
    func aRefusedVersionThatTheServerNoLongerHasIsOver(_ refused: String?, _ dataset: String, _ found: String?) throws {
        let known = try Self.known(refused: refused)
        let body = Array(#"{"success":true,"serverVersion":11,"dataset":\#(dataset)}"#.utf8)
        let news = ESMiraServer(Answering(body: body)).news(since: known)
        #expect(news.version?.text == found, "\(news.faults)")
        #expect((news.version?.bytes == known.bytes) == (found == "3"))
    }

    /// The server gives each message once, so it is not asked for what could not be kept.
    @Test func ofAStoredStudyThatCannotBeReadNothingIsAsked() throws {
        let device = Listening()
        let bytes = StudyBundle.bytes(
            [.init(name: "study.json", bytes: Array(#"{"questionnaires":[]}"#.utf8))], options: StudyOptions())
        let known = KnownStudy(
            source: "https://s.example/app-mood", participant: "aB3d-Ef5G-hJ7k", study: try Self.known().study,
            bytes: bytes, version: nil, refused: nil, status: nil, messages: [], variables: [:], zone: .utc)
        let news = ESMiraServer(device).news(since: known)
        #expect(news.version == nil && news.messages.isEmpty && news.faults.isEmpty)
        #expect(device.asked.withLock { $0 } == [])
        _ = ESMiraServer(device).news(since: try Self.known())
        #expect(device.asked.withLock { $0 } != [])
    }

    /// The server reads its query with `$_GET`, which decodes it.
    @Test(arguments: [("mood", "pt-BR_1", "mood", "pt-BR_1"), ("a&id=1", "e+n#", "a%26id%3D1", "e%2Bn%23")])
    func aKeyAndALanguageAreOneValueEachInAQuery(
        _ key: String, _ language: String, _ sentKey: String, _ sentLanguage: String
    ) throws {
        let device = Listening()
        let known = try Self.known(key: key, language: language)
        _ = ESMiraServer(device).news(since: known)
        _ = try? ESMiraServer(device).publicChartData(known)
        #expect(
            device.asked.withLock { $0 } == [
                "https://s.example/api/update.php?lang=\(sentLanguage)",
                "https://s.example/api/statistics.php?id=4711&access_key=\(sentKey)",
            ])
    }

    private final class Listening: PlatformDevice {
        let asked = Mutex<[String]>([])

        func send(_ request: WireRequest) throws -> ServerAnswer {
            asked.withLock { $0.append(request.url) }
            return ServerAnswer(status: 200, body: [])
        }
        func download(_ request: WireRequest) throws -> ServerAnswer { try send(request) }
        func secret(_ credential: String) throws -> String { "" }
    }

    @Test func aKeyThatWasChangedIsSaidAndMessagesOfTheSameAnswerAreNotLost() throws {
        // As recorded: `update.response.wrong-key.json`.
        let body = #"""
            {"success":true,"serverVersion":11,"dataset":{"4711":{"msgs":[{"from":"server","content":"Please charge the device",
            "sent":1795246748351,"pending":true,"unread":false,"archived":false,"delivered":2,"read":1795246748489}],"errorCode":"wrongAccessKey"}}}
            """#
        let news = ESMiraServer(Answering(body: Array(body.utf8))).news(since: try Self.known())
        #expect(news.faults.count == 1 && news.faults[0].contains("wrongAccessKey"))
        #expect(news.faults.first?.contains("have the study team add the old key again") == true, "\(news.faults)")
        #expect(news.messages.map(\.text) == ["Please charge the device"])
    }

    @Test func textsInHTMLAreToldWithoutIt() throws {
        let study = try ESMiraSample.study(
            ESMiraSample.pages, #","informedConsentForm":"<p>Free &amp; <b>fair</b></p><script>x()</script>""#)
        #expect(study.texts.consent.hasPrefix("Free & fair") && !study.texts.consent.contains("<"))
    }

    @Test func everyTextOfTheStudyHasItsPlace() throws {
        let more =
            #","studyDescription":"<p>About</p>","postInstallInstructions":"Keep it <b>on</b>","contactEmail":"a@b.org""#
        let texts = try ESMiraSample.study(ESMiraSample.pages, more).texts
        #expect(texts.name == "T" && texts.statement == "About" && texts.instructions == "Keep it on")
        #expect(texts.contactEmail == "a@b.org")
    }
}

/// What the participant writes to those who run the study, and the study's charts.
@Suite struct ESMiraLetterTests {
    static func context(_ study: StudyProtocol) -> WireContext {
        WireContext(study: study, enrolment: Joined.context().enrolment, zone: .utc, postURL: "https://s.example/")
    }

    static func submission(_ study: StudyProtocol, _ answers: Answers) throws -> Submission {
        let task = try #require(study.tasks.last)
        let occurrence = try #require(task.schedule.occurrences(of: task, in: Joined.context()).first)
        return Submission(
            task: task.key, occurrence: occurrence, order: [], answers: answers, drawn: [],
            submitted: Instant(seconds: 1))
    }

    @Test func aMessageIsSentAsTheAppDoes() throws {
        let study = try ESMiraSample.study(ESMiraSample.pages)
        let letter = try #require(study.tasks.last)
        #expect(letter.purpose == .message && letter.isSticky && study.tasks.dropLast().allSatisfy { !$0.isAside })
        let sent = study.writer.requests(
            for: .submitted(try Self.submission(study, ["message": .text("I am \"here\"")])), at: Instant(seconds: 1),
            in: Self.context(study))
        #expect(sent.map(\.url) == ["https://s.example/api/save_message.php?lang=en"])
        // `MessageStructure` of ESMira-apps, and what save_message.php of ESMira-web asks for.
        #expect(
            String(decoding: sent.first?.body ?? [], as: UTF8.self)
                == #"{"userId":"P","appVersion":"0.9.0","appType":"studyd","serverVersion":11,"content":"I am \"here\"","studyId":4711}"#
        )
    }

    @Test(arguments: [("de", "de"), ("", "en"), ("e+n&x", "e%2Bn%26x")])
    func aMessageIsSentInTheStudysLanguage(_ language: String, _ sent: String) throws {
        let text = ESMiraSample.text(ESMiraSample.pages, language: language)
        let study = try ESMiraReader().decode(StudySource(Array(text.utf8)))
        let report = Report.submitted(try Self.submission(study, ["message": .text("I am here")]))
        let requests = study.writer.requests(for: report, at: Instant(seconds: 1), in: Self.context(study))
        #expect(requests.map(\.url) == ["https://s.example/api/save_message.php?lang=\(sent)"])
    }

    @Test func aPlanSaysThatItIsAlwaysOpen() throws {
        let lines = Planner(study: try ESMiraSample.study(ESMiraSample.pages), context: Joined.context()).lines()
        #expect(lines.last { $0.occurrence.id == "letter/open" }?.remark == "open, without a prompt")
    }

    @Test func whatIsTooShortForTheServerIsNotSent() throws {
        let study = try ESMiraSample.study(ESMiraSample.pages)
        for answers in [[:], ["message": .text("x")], ["message": .cleared]] as [Answers] {
            let report = Report.submitted(try Self.submission(study, answers))
            #expect(study.writer.requests(for: report, at: Instant(seconds: 1), in: Self.context(study)).isEmpty)
        }
    }

    @Test func aStudyThatTakesNoMessagesHasNoPlaceForThem() throws {
        let study = try ESMiraSample.study(ESMiraSample.pages, #","sendMessagesAllowed":false"#)
        #expect(study.tasks.map(\.key) == ["50001"])
    }

    @Test func theServersWordOnAMessageIsUnderstood() {
        func verdict(_ body: String) -> Verdict { ESMiraWire().verdict(status: 200, body: Array(body.utf8)) }
        #expect(verdict(#"{"success":true,"serverVersion":11,"dataset":true}"#) == .delivered(receipt: "200 success"))
        #expect(
            verdict(#"{"success":false,"serverVersion":11,"error":"This study is locked","errorCode":0}"#)
                == .retry(reason: "This study is locked"))
        #expect(
            verdict(#"{"success":false,"serverVersion":11,"error":"Message is too short","errorCode":0}"#)
                == .refused(reason: "Message is too short"))
    }

    /// Beside a key the last word of an address is a folder; without one it is the key, as in the
    /// app's codes.
    @Test(arguments: [
        ("https://s.example/esmira", "mood", "https://s.example/esmira/"),
        ("https://s.example/esmira/", "mood", "https://s.example/esmira/"),
        ("https://s.example/mood", "mood", "https://s.example/"), ("https://s.example/mood", nil, "https://s.example/"),
    ])
    func aFolderOfTheServerNeedsNoSlash(_ source: String, _ key: String?, _ server: String) throws {
        var arguments = PlatformArguments()
        if let key { arguments.add(ESMiraOptions.accessKey.name, key) }
        do {
            _ = try ESMiraServer(Answering(body: Array(#"{"success":true,"dataset":[]}"#.utf8))).offer(
                JoinRequest(source: source, arguments: arguments))
            Issue.record("no study was there")
        } catch {
            #expect("\(error)".hasPrefix("\(server): the access key mood opens no study"), "\(error)")
        }
    }

    /// Events that only phones have.
    @Test func anEventThatNeverHappensHereIsNamed() throws {
        let study = try ESMiraSample.study(
            ESMiraSample.pages,
            #","eventUploadSettings":{"schedule_planned":true,"actions_executed":true,"quit":false,"language_changed":false}"#
        )
        let named = study.remarks.filter { $0.path.hasPrefix("$.eventUploadSettings") }
        #expect(named.map(\.path) == ["$.eventUploadSettings.actions_executed"])
    }

    @Test func aChartOverTimeIsDrawnAndWhatIsNotIsNamed() throws {
        let charts = #"""
            ,"personalStatistics":{"charts":[{"title":"<b>Mood</b>","chartType":2,"axisContainer":[{"yAxis":{"variableName":"mood"},"label":"m"}]},
            {"title":"Often","dataType":1,"axisContainer":[{"yAxis":{"variableName":"mood"}}]},{"title":"Secret","hideOnClient":true},
            {"title":"Other","axisContainer":[{"yAxis":{"variableName":"gone"}}]}]}
            """#
        let study = try ESMiraSample.study(ESMiraSample.pages, charts)
        let drawings = try #require(study.feedback?.drawings).drawings(
            of: [], others: nil, in: Joined.context(), isOver: false)
        #expect(drawings.map(\.title) == ["Mood", "Often", "Other"] && drawings.map(\.kind) == [.bars, .line, .line])
        let unsupported = study.remarks.filter { $0.kind == .unsupported }.map(\.path)
        #expect(unsupported.contains("$.personalStatistics.charts[3].axisContainer[0]"))
    }
}
