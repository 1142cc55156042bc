// SPDX-License-Identifier: Apache-2.0
import StudyFormats
import StudyModel
import Times
import Upload

/// Tells the registration server of FDA MyStudies how a participant stands, so that a phone of the same account shows it.
///
/// What is told is the whole present state, which the server takes in place of what it had: telling it twice does no harm, and a telling that
/// fails is made good by the next. Blocks: call it on a thread of its own.
struct MyStudiesAccount {
    private let registration: MyStudiesRegistration
    private let settings: MyStudiesSettings
    private var session: Session?
    /// What was told last.
    private var told: [String: String] = [:]

    private struct Session {
        let user: String
        let auth: String
    }

    init(_ registration: MyStudiesRegistration, _ settings: MyStudiesSettings) {
        self.registration = registration
        self.settings = settings
    }

    /// Tells what is new; nothing is sent where nothing is.
    mutating func tell(_ standings: [MyStudiesStanding], of study: StudyProtocol, enrolment: Enrolment) throws {
        let progress = MyStudiesProgress(standings)
        try send("updateStudyState", Self.state(of: study, progress, enrolment))
        try send("updateActivityState", Self.state(of: study, standings))
    }

    /// The server's own wording: everything else is refused.
    static func state(of study: StudyProtocol, _ progress: MyStudiesProgress, _ enrolment: Enrolment) -> JSONText {
        let entry: [JSONText.Member] = [
            .init("studyId", .string(study.studyID)),
            .init("status", .string(progress.completion == 100 ? "completed" : "inProgress")),
            .init("participantId", .string(enrolment.participant.text)),
            .init("enrolledDate", .string(enrolment.instant.rfc3339(fractionDigits: 3).dropLast() + "+0000")),
            .init("completion", .integer(Int64(progress.completion))),
            .init("adherence", .integer(Int64(progress.adherence))), .init("bookmarked", .boolean(false)),
        ]
        return .object([.init("studies", .array([.object(entry)]))])
    }

    static func state(of study: StudyProtocol, _ standings: [MyStudiesStanding]) -> JSONText {
        let entries = standings.map { standing -> JSONText in
            let run: [JSONText.Member] = [
                .init("total", .integer(Int64(standing.total))),
                .init("completed", .integer(Int64(standing.completed))),
                .init("missed", .integer(Int64(standing.missed))),
            ]
            return .object([
                .init("activityId", .string(standing.activity)),
                .init("activityRunId", .string(String(standing.currentRun))),
                .init("activityState", .string(standing.state.rawValue)),
                .init("activityVersion", .string(study.task(standing.activity)?.wireName ?? "")),
                .init("bookmarked", .boolean(false)), .init("activityRun", .object(run)),
            ])
        }
        return .object([.init("studyId", .string(study.studyID)), .init("activity", .array(entries))])
    }

    private mutating func send(_ action: String, _ body: JSONText) throws {
        let text = body.text
        guard told[action] != text else { return }
        var response = try post(action, text, try session ?? logIn())
        if response.status == 401 { response = try post(action, text, try logIn()) }
        guard response.status == 200 else {
            throw MyStudiesServerError(
                "\(registration.address(of: action)): the server answered with status \(response.status)")
        }
        told[action] = text
    }

    private mutating func logIn() throws -> Session {
        let password = try SecretFile.read(registration.credential)
        let body = JSONText.object([
            .init("emailId", .string(registration.account)), .init("password", .string(password)),
        ])
        let response = try post("login", body.text, nil)
        guard response.status == 200, let answer = try? JSONNode(response.body),
            let user = MyStudiesServer.text(answer["userId"]), let auth = MyStudiesServer.text(answer["auth"])
        else {
            throw MyStudiesServerError(
                "\(registration.address(of: "login")): the account was not let in (status \(response.status)); check [mystudies.registration]"
            )
        }
        let session = Session(user: user, auth: auth)
        self.session = session
        return session
    }

    private func post(_ action: String, _ text: String, _ session: Session?) throws -> HTTPResponse {
        var headers: [WireRequest.Header] = [.init(name: "Content-Type", value: "application/json")]
        headers += settings.headers
        if let session {
            headers += [.init(name: "userId", value: session.user), .init(name: "auth", value: session.auth)]
        }
        return try HTTPClient(userAgent: AgentVersion.userAgent).send(
            HTTPRequest(
                method: "POST", url: registration.address(of: action), headers: headers, body: .bytes(Array(text.utf8)))
        )
    }
}
