// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Synchronization
import Testing

@testable import PlatformMyStudies

@Suite struct MyStudiesConsentTests {
    /// A study that asks whether data may be shared, with more members of its block.
    private static func asking(_ more: String = "") -> String {
        #"{"version":"1.0","sharing":{"shortDesc":"us","longDesc":"us alone","learnMore":"<p>More</p>"\#(more)}}"#
    }
    /// The words of `title`, `text`, `shortDesc`, `longDesc` and `learnMore`.
    private static func words(
        _ title: String, _ text: String, _ short: String, _ long: String, _ more: String = ""
    ) -> String {
        let heading = #""title":"\#(title)","text":"\#(text)","learnMore":"\#(more)""#
        return #"{"version":"1.0","sharing":{\#(heading),"shortDesc":"\#(short)","longDesc":"\#(long)"}}"#
    }
    private static let silent =
        #"{"version":"1.0","sharing":{"title":"","text":" ","shortDesc":"","longDesc":"","allowWithoutSharing":false}}"#

    /// Version and choice that were recorded; what is wrong with them as the first consent, at the enrolment or since,
    /// and as a later one.
    @Test(
        arguments: [
            (asking(), "1.0", "true", nil, nil), (asking(), "1.0", "false", nil, nil),
            (asking(), "1.0", nil, "whether data may be shared", nil),
            (asking(), "1.0", "NA", "whether data may be shared", "whether data may be shared"),
            (asking(), "0.9", "true", "version 1.0", "version 1.0"),
            (asking(#","allowWithoutSharing":false"#), "1.0", "false", "only participants", "only participants"),
            (asking(#","allowWithoutSharing":false"#), "1.0", "true", nil, nil),
            (asking(#","allowWithoutSharing":true"#), "1.0", "false", nil, nil),
            (silent, "1.0", nil, nil, nil), (silent, "1.0", "NA", nil, nil), (silent, "1.0", "false", nil, nil),
            (words("t", "t", "s", "l"), "1.0", nil, "whether data may be shared", nil),
            (words("t", "", "s", "l"), "1.0", nil, nil, nil), (words("", "t", "s", "l"), "1.0", nil, nil, nil),
            (words("t", "t", "", "l", "m"), "1.0", nil, nil, nil),
            (words("t", "t", "s", " ", "m"), "1.0", nil, nil, nil), (words("t", "", "", ""), "1.0", nil, nil, nil),
            ("{}", "0.9", nil, nil, nil), (#"{"version":"1.0"}"#, "1.0", nil, nil, nil),
        ] as [(String, String, String?, String?, String?)])
    func theChoiceIsOneOfTheStudys(
        consent: String, version: String, sharing: String?, first: String?, later: String?
    ) throws {
        let asked = MyStudiesConsent(try JSONNode(Array(consent.utf8)))
        let given = JoinRequest.Consent(version: version, sharing: sharing)
        for (says, isEnrolled, renews) in [(first, false, false), (first, true, false), (later, true, true)] {
            func check() throws { try asked.check(given, isEnrolled: isEnrolled, renews: renews) }
            guard let says else {
                try check()
                continue
            }
            let error = #expect(throws: PlatformServerError.self) { try check() }
            let said = "\(try #require(error))"
            #expect(said.contains(says) && said.contains("the token was not used") == !isEnrolled, "\(said)")
        }
    }

    /// Answers by the last part of the path; notes what is posted.
    private final class Server: PlatformDevice {
        private let posted = Mutex<[String]>([])
        var bodies: [String] { posted.withLock { $0 } }
        private let consent: String
        private let states: String

        /// `states` are the account's studies.
        init(consent: String = #"{"version":"2.0"}"#, states: String = "") {
            (self.consent, self.states) = (consent, states)
        }

        func send(_ request: WireRequest) throws -> ServerAnswer {
            if request.method == "POST" {
                posted.withLock { $0.append(request.url + " " + String(decoding: request.body, as: UTF8.self)) }
            }
            let text =
                request.url.contains("eligibilityConsent")
                ? #"{"consent":\#(consent)}"# : #"{"userId":"U","auth":"A","studies":[\#(states)]}"#
            return ServerAnswer(status: 200, body: Array(text.utf8))
        }

        func download(_ request: WireRequest) throws -> ServerAnswer { try send(request) }
        func secret(_ credential: String) throws -> String { "word" }
    }

    private static func known(hasConsented: Bool = true) throws -> KnownStudy {
        let text = MyStudiesBadInputTests.file("A", "1.0", MyStudiesBadInputTests.boolean)
        return KnownStudy(
            source: "http://127.0.0.1/m", participant: "p",
            study: try MyStudiesReader().decode(StudySource(Array(text.utf8))), bytes: Array(text.utf8),
            version: "1.0", refused: nil, status: "Active", messages: [], variables: [:], zone: .utc,
            hasConsented: hasConsented)
    }

    private static func server(over device: Server, isRegistered: Bool = true) throws -> MyStudiesServer {
        let registration = ["url": "http://127.0.0.1/reg", "account": "a@b.org", "credential": "c"]
        let table = MyStudiesAccountTests.Table(
            texts: ["response": "http://127.0.0.1/r"], sections: isRegistered ? ["registration": registration] : [:])
        return MyStudiesServer(try MyStudiesSettings(table), over: device)
    }

    /// `updateEligibilityConsentStatus` as iOS sends it (9091edbe, UserServices.swift): without a choice the sharing
    /// is an empty text.
    @Test(arguments: [(nil, ""), ("true", "true")] as [(String?, String)])
    func aNewConsentIsToldToTheRegistrationServer(sharing: String?, sent: String) throws {
        let server = Server(states: try Self.state("inProgress", of: "p"))
        try Self.server(over: server).renew(.init(version: "2.0", sharing: sharing), of: Self.known())
        let told = server.bodies.filter { $0.contains("updateEligibilityConsentStatus.api") }
        #expect(told.count == 1, "\(server.bodies)")
        let study = try Self.known().study.studyID
        #expect(
            told.first?.hasSuffix(
                #" {"studyId":"\#(study)","eligibility":true,"consent":{"version":"2.0","status":"Completed","pdf":""},"sharing":"\#(sent)"}"#
            ) == true, "\(told)")
    }

    private static func state(_ status: String, of participant: String) throws -> String {
        #"{"studyId":"\#(try known().study.studyID)","status":"\#(status)","participantId":"\#(participant)"}"#
    }

    /// A phone of the account may have left the study, or gone on with another participant.
    @Test(
        arguments: [
            ("inProgress", "p", true), ("inProgress", "", true), ("inProgress", "q", false), ("Withdrawn", "p", false),
            ("completed", "p", false), ("yetToJoin", "p", false), (nil, "p", false),
        ] as [(String?, String, Bool)])
    func itIsToldOfWhoTakesPartThere(status: String?, participant: String, isTold: Bool) throws {
        let server = Server(states: try status.map { try Self.state($0, of: participant) } ?? "")
        try Self.server(over: server).renew(.init(version: "2.0", sharing: nil), of: Self.known())
        #expect(server.bodies.contains { $0.contains("updateEligibilityConsentStatus.api") } == isTold)
    }

    /// Of who enrolled without one, it is no renewal.
    @Test(arguments: [(nil, false, false), (nil, true, true), ("true", false, true)] as [(String?, Bool, Bool)])
    func theFirstConsentHasAChoice(sharing: String?, hasConsented: Bool, isTaken: Bool) throws {
        let server = try Self.server(over: Server(consent: Self.asking()), isRegistered: false)
        var isRefused = false
        do {
            try server.renew(.init(version: "1.0", sharing: sharing), of: Self.known(hasConsented: hasConsented))
        } catch is PlatformServerError { isRefused = true }
        #expect(isRefused == !isTaken)
    }

    @Test func aConsentToAnotherVersionIsToldToNoServer() throws {
        let server = Server()
        #expect(throws: PlatformServerError.self) {
            try Self.server(over: server).renew(.init(version: "1.0", sharing: nil), of: Self.known())
        }
        #expect(server.bodies.isEmpty)
    }

    @Test func withoutARegistrationServerNothingIsSent() throws {
        let server = Server()
        try Self.server(over: server, isRegistered: false).renew(
            .init(version: "2.0", sharing: nil), of: Self.known())
        #expect(server.bodies.isEmpty)
    }
}
