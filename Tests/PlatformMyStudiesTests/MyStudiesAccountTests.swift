// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformFixtures
import Study
import Synchronization
import Testing

@testable import PlatformMyStudies

/// What the registration server of FDA MyStudies hears of a participant, in which order and how
/// often. Actions, fields and statuses are those of its `UserRegServer` (401: the session is over).
@Suite struct MyStudiesAccountTests {
    /// Knows a status of the study, and forgets sessions when it is told to.
    private final class Server: PlatformDevice {
        private struct State {
            var calls: [String] = []
            var status: String?
            var participant: String
            var session = 0
            /// What is answered instead, by action; nil = what is right.
            var answers: [String: ServerAnswer] = [:]
        }
        private let state: Mutex<State>

        init(status: String?, of participant: String = "") {
            state = Mutex(State(status: status, participant: participant))
        }

        func say(_ status: String) { state.withLock { $0.status = status } }
        func forgetSessions() { state.withLock { $0.session += 1 } }
        func answer(_ action: String, with answer: ServerAnswer?) {
            state.withLock { $0.answers[action] = answer }
        }
        /// What was asked since the last look.
        func takeCalls() -> [String] {
            state.withLock { state in
                defer { state.calls = [] }
                return state.calls
            }
        }

        func send(_ request: WireRequest) throws -> ServerAnswer {
            let action =
                request.url.split(separator: "-").last?.split(separator: ".").first.map(String.init) ?? ""
            let body = String(decoding: request.body, as: UTF8.self)
            // The server takes a bookmark over (FDA-MyStudies/UserReg-WS 0b87e465, FdahpUserRegWSController.java:2260), and
            // iOS sends none with its progress (9091edbe, User.swift, `getParticipatedUserActivityStatus`).
            let words = ["inProgress", "Withdrawn", "completion", "bookmarked", "2.0"].filter {
                body.contains("\"\($0)\"")
            }
            return state.withLock { state in
                state.calls.append(([action] + words).joined(separator: " "))
                if let answer = state.answers[action] { return answer }
                if action == "login" { return Self.answer(#"{"userId":"u","auth":"a\#(state.session)"}"#) }
                guard request.headers.contains(.init(name: "auth", value: "a\(state.session)")) else {
                    return ServerAnswer(status: 401, body: [])
                }
                guard action == "studyState" else { return Self.answer(#"{"message":"success"}"#) }
                let study =
                    state.status.map {
                        #"{"studyId":"s","status":"\#($0)","participantId":"\#(state.participant)"}"#
                    } ?? ""
                return Self.answer(#"{"studies":[\#(study)]}"#)
            }
        }

        private static func answer(_ text: String) -> ServerAnswer {
            ServerAnswer(status: 200, body: Array(text.utf8))
        }
        func download(_ request: WireRequest) throws -> ServerAnswer { try send(request) }
        func secret(_ credential: String) throws -> String { "secret" }
    }

    /// Settings; if nothing else is given, `[mystudies.registration]`.
    struct Table: SettingsTable {
        struct Missing: Error {}
        var texts = ["url": "https://r.example/x", "account": "p@x.org", "credential": "c"]
        var sections: [String: [String: String]] = [:]

        func string(_ key: String) throws -> String? { texts[key] }
        func integer(_ key: String, in range: ClosedRange<Int>) throws -> Int? { nil }
        func number(_ key: String, in range: ClosedRange<Double>) throws -> Double? { nil }
        func boolean(_ key: String) throws -> Bool? { nil }
        func choice<Choice: RawRepresentable & CaseIterable>(_ key: String, _: Choice.Type) throws
            -> Choice?
        where Choice.RawValue == String { nil }
        func required<Value>(_ key: String, _ value: Value?) throws -> Value {
            guard let value else { throw Missing() }
            return value
        }
        func section(_ key: String) throws -> (any SettingsTable)? { sections[key].map { Table(texts: $0) } }
        func complaint(_ key: String, _ message: String) -> any Error { Missing() }
    }

    private static let enrolment = Joined.context().enrolment
    private static let progress = ["updateStudyState completion", "updateActivityState"]
    private static let joining = ["updateStudyState inProgress", "updateStudyState completion", "updateActivityState"]

    private static func account(_ server: Server) throws -> MyStudiesAccount {
        MyStudiesAccount(
            try MyStudiesRegistrationSettings(Table()), MyStudiesSettings(response: "https://s.example"),
            over: server)
    }

    private static func study() throws -> StudyProtocol {
        try MyStudiesReader().decode(
            StudySource(Array(MyStudiesBadInputTests.file("A", "1", MyStudiesBadInputTests.boolean).utf8))
        )
    }

    private static func report(
        _ account: inout MyStudiesAccount, submissions: Int = 0, of enrolment: Enrolment = Self.enrolment,
        consent: JoinRequest.Consent? = nil, wasJoined: Bool = false, hasConsent: Bool = false
    ) throws {
        let study = try study()
        let runs = [TaskRuns(study.tasks[0], runs: [], submissions: submissions, isBegun: false)]
        try account.report(
            runs, of: study, enrolment: enrolment, consent: consent, wasJoined: wasJoined, hasConsent: hasConsent,
            at: enrolment.instant)
    }

    private static let consent = JoinRequest.Consent(version: "1.0", sharing: "true")
    private static let consenting = "updateEligibilityConsentStatus"

    /// As from the app, once for each enrolment; what the log says was told is not told again, unless the server has
    /// to be told of the enrolment again. A task may be answered, and so `wasJoined` be true, before a server that
    /// fails hears of either.
    @Test(
        arguments: [
            (nil, consent, false, false, [consenting]), ("inProgress", consent, false, false, [consenting]),
            (nil, consent, true, false, [consenting]), ("inProgress", consent, true, false, [consenting]),
            (nil, consent, true, true, [consenting]), ("inProgress", consent, true, true, []),
            (nil, nil, false, false, []), (nil, nil, true, false, []),
        ] as [(String?, JoinRequest.Consent?, Bool, Bool, [String])])
    func theConsentFollowsTheEnrolmentOnce(
        _ status: String?, _ consent: JoinRequest.Consent?, _ wasJoined: Bool, _ hasConsent: Bool, _ told: [String]
    ) throws {
        let server = Server(status: status, of: status == nil ? "" : Self.enrolment.participant.text)
        var account = try Self.account(server)
        try Self.report(&account, consent: consent, wasJoined: wasJoined, hasConsent: hasConsent)
        let joining = status == nil ? ["updateStudyState inProgress"] : []
        #expect(server.takeCalls() == ["login", "studyState"] + joining + Self.progress + told)
        try Self.report(&account, consent: consent, wasJoined: true)
        #expect(server.takeCalls().isEmpty, "nothing is new")
    }

    /// Progress does not wait for it.
    @Test func aConsentThatDidNotArriveIsSentAgain() throws {
        let server = Server(status: nil)
        var account = try Self.account(server)
        server.answer(Self.consenting, with: ServerAnswer(status: 503, body: []))
        #expect(throws: PlatformServerError.self) { try Self.report(&account, consent: Self.consent) }
        #expect(account.joined == Self.enrolment.id && account.owesConsent)
        #expect(server.takeCalls() == ["login", "studyState"] + Self.joining + [Self.consenting])
        server.answer(Self.consenting, with: nil)
        try Self.report(&account, consent: Self.consent, wasJoined: true)
        #expect(server.takeCalls() == [Self.consenting] && !account.owesConsent)
    }

    /// Renewed before the first one arrived.
    @Test func theConsentThatIsOwedIsTheLatest() throws {
        let server = Server(status: nil)
        var account = try Self.account(server)
        server.answer(Self.consenting, with: ServerAnswer(status: 503, body: []))
        #expect(throws: PlatformServerError.self) { try Self.report(&account, consent: Self.consent) }
        _ = server.takeCalls()
        server.answer(Self.consenting, with: nil)
        try Self.report(&account, consent: JoinRequest.Consent(version: "2.0", sharing: "true"), wasJoined: true)
        #expect(server.takeCalls() == [Self.consenting + " 2.0"])
    }

    /// Both consented to the same version with the same choice.
    @Test func theNextEnrolmentHasItsOwnConsent() throws {
        let server = Server(status: nil)
        var account = try Self.account(server)
        try Self.report(&account, consent: Self.consent)
        _ = server.takeCalls()
        let next = Enrolment(
            id: "e2", studyID: "S", participant: ParticipantID("P2"), condition: nil,
            instant: Self.enrolment.instant + .seconds(86_400), local: Self.enrolment.local.adding(.seconds(86_400)),
            seed: [2])
        try Self.report(&account, of: next, consent: Self.consent)
        #expect(server.takeCalls().last == Self.consenting)
    }

    /// At the enrolment: a server that fails for a while does not keep it from happening.
    @Test(
        arguments: [
            (200, #"{"userId":"u","auth":"a"}"#, false), (400, #"{"message":"wrong password"}"#, true),
            (401, "", true), (403, "", true), (404, "", true), (200, "<html>", true), (429, "", false),
            (499, "", true), (500, "", false), (503, "", false),
        ] as [(Int, String, Bool)])
    func anAccountIsCheckedBeforeTheTokenIsUsed(_ status: Int, _ body: String, _ isRefused: Bool) throws {
        let server = Server(status: nil)
        server.answer("login", with: ServerAnswer(status: status, body: Array(body.utf8)))
        let account = try Self.account(server)
        guard isRefused else { return try account.check() }
        let error = #expect(throws: PlatformServerError.self) { try account.check() }
        let said = "\(try #require(error))"
        #expect(said.hasPrefix("https://r.example/x/fdahpuserregws-login.api: "), "\(said)")
        #expect(said.contains("[mystudies.registration]") && said.contains("the token was not used"), "\(said)")
        if body.contains("wrong password") { #expect(said.contains("wrong password"), "\(said)") }
    }

    /// The server takes `inProgress` for a new enrolment, so it is sent only where it is news.
    @Test(
        arguments: [
            (nil, ["updateStudyState inProgress"]), ("yetToJoin", ["updateStudyState inProgress"]),
            ("withdrawn", ["updateStudyState inProgress"]), ("inProgress", []), ("INPROGRESS", []),
        ] as [(String?, [String])])
    func whoTakesPartIsSaidOnce(_ status: String?, _ joining: [String]) throws {
        let server = Server(status: status)
        var account = try Self.account(server)
        try Self.report(&account)
        #expect(server.takeCalls() == ["login", "studyState"] + joining + Self.progress)
        try Self.report(&account)
        #expect(server.takeCalls().isEmpty, "nothing is new")
    }

    /// A phone, or those who run the study, have said how it is; of an earlier enrolment that says nothing.
    /// A withdrawal that deletes takes the participant's name away (`FdahpUserRegWSManager.withDrawStudy`).
    @Test(
        arguments: [
            ("completed", "P", false, progress), ("completed", "P", true, progress),
            ("completed", "", true, progress), ("Withdrawn", "P", true, []), ("Withdrawn", "", true, []),
            ("inProgress", "P", true, progress), ("inProgress", "P0", true, []), ("completed", "P0", true, []),
            ("yetToJoin", "P", true, joining),
            (nil, "", true, joining),
            ("yetToJoin", "P", false, joining),
            ("completed", "P0", false, joining),
            ("inProgress", "P0", false, joining),
            ("withdrawn", "P", false, joining),
            ("withdrawn", "P0", false, joining),
        ] as [(String?, String, Bool, [String])])
    func afterARestartAnEnrolmentThatIsOverIsNotBegunAgain(
        _ status: String?, _ participant: String, _ wasJoined: Bool, _ told: [String]
    ) throws {
        let server = Server(status: status, of: participant)
        var account = try Self.account(server)
        try Self.report(&account, wasJoined: wasJoined)
        #expect(server.takeCalls() == ["login", "studyState"] + told)
        #expect((account.joined == Self.enrolment.id) == !told.isEmpty)
        try Self.report(&account, wasJoined: wasJoined)
        #expect(server.takeCalls().isEmpty, "nothing is new")
    }

    /// A phone of the account has begun with another participant.
    @Test func leavingLeavesAnotherParticipantInTheStudy() throws {
        let server = Server(status: "inProgress", of: "P0")
        var account = try Self.account(server)
        try account.leave(Self.study(), enrolment: Self.enrolment)
        #expect(server.takeCalls() == ["login", "studyState"])
    }

    @Test(
        arguments: [
            ("inProgress", ["updateStudyState Withdrawn"]), ("Withdrawn", []), (nil, []),
        ] as [(String?, [String])])
    func leavingIsSaidOnceWhereTheServerDoesNotKnow(_ status: String?, _ leaving: [String]) throws {
        let server = Server(status: status)
        var account = try Self.account(server)
        try account.leave(Self.study(), enrolment: Self.enrolment)
        #expect(server.takeCalls() == ["login", "studyState"] + leaving)
        try account.leave(Self.study(), enrolment: Self.enrolment)
        #expect(server.takeCalls().isEmpty, "a second time")
    }

    /// Who left while the server did not answer, and takes part again, is another participant there.
    @Test func aNewEnrolmentIsSaidWhereTheLeaveDidNotArrive() throws {
        let server = Server(status: "inProgress")
        var account = try Self.account(server)
        try Self.report(&account)
        server.answer("studyState", with: ServerAnswer(status: 503, body: []))
        #expect(throws: PlatformServerError.self) { try account.leave(Self.study(), enrolment: Self.enrolment) }
        server.answer("studyState", with: nil)
        _ = server.takeCalls()
        let again = Enrolment(
            id: "e2", studyID: "S", participant: ParticipantID("P2"), condition: nil,
            instant: Self.enrolment.instant + .seconds(86_400), local: Self.enrolment.local.adding(.seconds(86_400)),
            seed: [2])
        try Self.report(&account, of: again)
        #expect(server.takeCalls().prefix(2) == ["updateStudyState inProgress", "updateStudyState completion"])
        try Self.report(&account, of: again)
        #expect(server.takeCalls().isEmpty, "nothing is new")
    }

    /// The server has the enrolment before as withdrawn, of a participant of that name.
    @Test func whoLeavesAndBeginsAgainUnderTheSameNameTakesPart() throws {
        let server = Server(status: "inProgress", of: "P")
        var account = try Self.account(server)
        try Self.report(&account)
        try account.leave(Self.study(), enrolment: Self.enrolment)
        server.say("Withdrawn")
        _ = server.takeCalls()
        let again = Enrolment(
            id: "e2", studyID: "S", participant: Self.enrolment.participant, condition: nil,
            instant: Self.enrolment.instant + .seconds(86_400), local: Self.enrolment.local.adding(.seconds(86_400)),
            seed: [2])
        try Self.report(&account, of: again)
        let joining = ["studyState", "updateStudyState inProgress", "updateStudyState completion"]
        #expect(server.takeCalls().prefix(3) == joining[...])
        try Self.report(&account, of: again)
        #expect(server.takeCalls().isEmpty, "nothing is new")
    }

    @Test func aSessionThatIsOverIsBegunAgain() throws {
        let server = Server(status: "inProgress")
        var account = try Self.account(server)
        try Self.report(&account)
        _ = server.takeCalls()
        server.forgetSessions()
        try account.leave(Self.study(), enrolment: Self.enrolment)
        #expect(
            server.takeCalls() == ["studyState", "login", "studyState", "updateStudyState Withdrawn"])
    }

    @Test func whatDidNotArriveIsSentAgain() throws {
        let server = Server(status: nil)
        var account = try Self.account(server)
        server.answer("login", with: ServerAnswer(status: 503, body: []))
        #expect(throws: PlatformServerError.self) { try Self.report(&account) }
        _ = server.takeCalls()
        server.answer("login", with: nil)
        try Self.report(&account)
        #expect(
            server.takeCalls() == ["login", "studyState", "updateStudyState inProgress"] + Self.progress)
    }

    /// What has arrived is not sent a second time.
    @Test(
        arguments: [
            ("studyState", ["studyState", "updateStudyState inProgress"] + progress),
            ("updateStudyState", ["studyState", "updateStudyState inProgress"] + progress),
            ("updateActivityState", ["updateActivityState"]),
        ] as [(String, [String])],
        [(503, #"{"studies":[]}"#, "with status 503"), (201, "", "with status 201"), (400, "null", "with status 400")])
    func whatTheServerDidNotTakeIsSentAgain(
        _ action: (name: String, again: [String]), _ failure: (status: Int, body: String, says: String)
    ) throws {
        let server = Server(status: nil)
        var account = try Self.account(server)
        server.answer(action.name, with: ServerAnswer(status: failure.status, body: Array(failure.body.utf8)))
        let error = #expect(throws: PlatformServerError.self) { try Self.report(&account) }
        let said = "\(try #require(error))"
        #expect(said.contains(failure.says) && said.contains("fdahpuserregws-\(action.name).api"), "\(said)")
        _ = server.takeCalls()
        server.answer(action.name, with: nil)
        try Self.report(&account)
        #expect(server.takeCalls() == action.again)
        try Self.report(&account)
        #expect(server.takeCalls().isEmpty, "nothing is new")
    }

    @Test func anAnswerThatIsNoListOfStudiesIsCalledThat() throws {
        let server = Server(status: nil)
        var account = try Self.account(server)
        server.answer("studyState", with: ServerAnswer(status: 200, body: Array("<html>".utf8)))
        let error = #expect(throws: PlatformServerError.self) { try Self.report(&account) }
        let said = "\(try #require(error))"
        #expect(said.contains("but not with what was asked for"), "\(said)")
    }

    /// The server gives a failure with a status and an empty body or `null`
    /// (`FdahpUserRegUtil.getFailureResponse`), a proxy its page: neither says what is known of the study.
    private static let failures = [
        (503, ""), (500, "null"), (400, "null"), (200, ""), (200, "<html>"), (200, "{}"), (503, #"{"studies":[]}"#),
    ].map { ServerAnswer(status: $0.0, body: Array($0.1.utf8)) }

    @Test(arguments: failures) func aLeaveIsToldOnceTheServerSaysWhatItKnows(_ failure: ServerAnswer) throws {
        let server = Server(status: "inProgress")
        var account = try Self.account(server)
        try Self.report(&account)
        _ = server.takeCalls()
        server.answer("studyState", with: failure)
        #expect(throws: PlatformServerError.self) {
            try account.leave(Self.study(), enrolment: Self.enrolment)
        }
        #expect(server.takeCalls() == ["studyState"])
        server.answer("studyState", with: nil)
        try account.leave(Self.study(), enrolment: Self.enrolment)
        #expect(server.takeCalls() == ["studyState", "updateStudyState Withdrawn"])
    }

    /// `inProgress` sets the counts of a participant who takes part to 0 (`UpdateStudyStateAction`).
    @Test(arguments: failures) func nobodyJoinsWhileTheServerFails(_ failure: ServerAnswer) throws {
        let server = Server(status: "inProgress")
        var account = try Self.account(server)
        server.answer("studyState", with: failure)
        #expect(throws: PlatformServerError.self) { try Self.report(&account) }
        #expect(server.takeCalls() == ["login", "studyState"])
        server.answer("studyState", with: nil)
        try Self.report(&account)
        #expect(server.takeCalls() == ["studyState"] + Self.progress)
    }

    /// The server refuses a password by 400 or 401; what else fails is no matter of the settings.
    @Test(
        arguments: [
            (400, "", true), (401, "", true), (403, "", true), (503, "", false), (404, "", false),
            (200, "<html>", false), (200, #"{"userId":"u"}"#, false),
        ] as [(Int, String, Bool)])
    func aFailedLoginSaysWhetherTheSettingsAreToBlame(_ status: Int, _ body: String, _ isRefused: Bool) throws {
        let server = Server(status: nil)
        var account = try Self.account(server)
        server.answer("login", with: ServerAnswer(status: status, body: Array(body.utf8)))
        let error = #expect(throws: PlatformServerError.self) { try Self.report(&account) }
        let said = "\(try #require(error))"
        #expect(said.contains("check [mystudies.registration]") == isRefused, "\(said)")
        #expect(said.contains("login") && (status == 200 || said.contains("\(status)")), "\(said)")
    }

    private static let letters = String(repeating: "x", count: 200)

    @Test(
        arguments: [
            (#"{"message":"Invalid e-mail or password"}"#, #"(status 400, "Invalid e-mail or password")"#),
            (#"{"exception":"no such user"}"#, #"(status 400, "no such user")"#),
            (#"{"message":"a\u001bb"}"#, #"(status 400, "a\u001Bb")"#),
            (#"{"message":""}"#, "(status 400)"), (#"{"message":7}"#, "(status 400)"), ("<html>", "(status 400)"),
            (#"{"message":"\#(letters)"}"#, #", "\#(letters)")"#),
            (#"{"message":"\#(letters)x"}"#, #", "\#(letters)")"#),
        ] as [(String, String)])
    func aRefusedLoginGivesTheServersReason(_ body: String, _ says: String) throws {
        let server = Server(status: nil)
        var account = try Self.account(server)
        server.answer("login", with: ServerAnswer(status: 400, body: Array(body.utf8)))
        let error = #expect(throws: PlatformServerError.self) { try Self.report(&account) }
        #expect("\(try #require(error))".contains(says))
    }
}
