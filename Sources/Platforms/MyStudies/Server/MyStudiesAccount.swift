// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Tells the registration server of FDA MyStudies the participant's progress, so that a phone with
/// the same account shows it.
///
/// Progress is sent as the whole present state, which replaces what the server had, so the next call makes up for
/// one that failed. What is not sent twice is that the participant takes part (`report`). Blocks: `ProgressReports`
/// calls it on a thread of its own.
struct MyStudiesAccount: ProgressReporter {
    private let registration: MyStudiesRegistrationSettings
    private let settings: MyStudiesSettings
    private let device: any PlatformDevice
    /// Nil = not signed in.
    private var session: Session?
    /// The bodies that the server last took, by action.
    private var sent: [String: String] = [:]
    /// Id of the enrolment that the server has as in progress; nil = not known.
    private(set) var joined: String?
    /// Id of the enrolment that the server knows to be over; nothing more is sent for it.
    private var left: String?
    /// The server does not have the consent of the enrolment that `joined` names.
    private(set) var owesConsent = false

    /// What the server has of a study: the status in small letters, and the participant that it names.
    private struct Entry {
        let status: String?
        let participant: String?

        /// The account has been used for another enrolment.
        func isOther(than name: String) -> Bool { participant.map { !$0.isEmpty && $0 != name } ?? false }
    }

    /// The header fields of calls after the sign-in.
    private struct Session {
        let user: String
        let auth: String
    }

    init(
        _ registration: MyStudiesRegistrationSettings, _ settings: MyStudiesSettings, over device: any PlatformDevice
    ) {
        self.registration = registration
        self.device = device
        self.settings = settings
    }

    /// Sends what has changed since the server last took it; where nothing has, nothing is sent.
    ///
    /// The server takes each `inProgress` for a new enrolment, with a new date and counts of 0
    /// (`UpdateStudyStateAction` of its source). So it is sent only where its list does not have this participant in
    /// the study (`mustJoin`), or where this object has reported another enrolment before; not where the list has the
    /// study as completed by this participant.
    ///
    /// A withdrawal on a phone may clear the participant's name at the server, which then looks like that of
    /// an earlier enrolment. So the server's word ends this enrolment only if `wasJoined`: the server has had
    /// it as in progress before.
    ///
    /// The consent follows once, as from the app after `inProgress` (iOS 9091edbe, StudyHomeViewController.swift:857).
    mutating func report(
        _ tasks: [TaskRuns], of study: StudyProtocol, enrolment: Enrolment, consent: JoinRequest.Consent?,
        wasJoined: Bool, hasConsent: Bool, at now: Instant
    ) throws {
        guard left != enrolment.id else { return }
        let activities = tasks.map { MyStudiesActivityProgress($0, at: now) }
        if joined != enrolment.id {
            let known = try joined == nil ? entry(of: study.studyID) : nil
            if wasJoined, let known, known.status == "withdrawn" || known.isOther(than: enrolment.participant.text) {
                left = enrolment.id
                return
            }
            let mustJoin = Self.mustJoin(known, as: enrolment.participant.text, wasJoined: wasJoined)
            if mustJoin { try send("updateStudyState", Self.status("inProgress", of: study, enrolment)) }
            joined = enrolment.id
            owesConsent = consent != nil && (mustJoin || !hasConsent)
        }
        try send("updateStudyState", Self.state(of: study, MyStudiesProgress(activities)))
        try send("updateActivityState", Self.state(of: study, activities))
        if owesConsent, let consent {
            try tell(consent, in: study.studyID, sharing: consent.sharing ?? "NA")
            owesConsent = false
        }
    }

    private static func mustJoin(_ known: Entry?, as participant: String, wasJoined: Bool) -> Bool {
        guard let known else { return true }
        return switch known.status ?? "" {
        case "yettojoin", "withdrawn": true
        case "inprogress": known.isOther(than: participant)
        default: !wasJoined && known.participant != participant
        }
    }

    /// Sends once that the participant has left.
    mutating func leave(_ study: StudyProtocol, enrolment: Enrolment) throws {
        guard left != enrolment.id else { return }
        let known = try entry(of: study.studyID)
        if let known, let status = known.status, status != "withdrawn",
            !known.isOther(than: enrolment.participant.text)
        {
            try send("updateStudyState", Self.status("Withdrawn", of: study, enrolment))
        }
        left = enrolment.id
        joined = nil
        owesConsent = false
    }

    /// Tells of a new consent, as the apps do (iOS 9091edbe, `updateUserEligibilityConsentStatus`), but without the
    /// signed document: there is none on this device. Nothing is sent unless the participant takes part there.
    mutating func renew(_ consent: JoinRequest.Consent, in study: String, of participant: String) throws {
        guard let known = try entry(of: study), known.status == "inprogress", !known.isOther(than: participant) else {
            return
        }
        try tell(consent, in: study, sharing: consent.sharing ?? "")
    }

    private mutating func tell(_ consent: JoinRequest.Consent, in study: String, sharing: String) throws {
        let action = "updateEligibilityConsentStatus"
        let signed = JSONText.object([
            "version": .string(consent.version), "status": .string("Completed"), "pdf": .string(""),
        ])
        // Each enrolment has its own, though it may say the same.
        sent[action] = nil
        try send(
            action,
            .object([
                "studyId": .string(study), "eligibility": .boolean(true), "consent": signed,
                "sharing": .string(sharing),
            ]))
    }

    /// What the server says of the study; nil where its list has no such study.
    private mutating func entry(of study: String) throws -> Entry? {
        let answer = try ask("studyState", nil)
        guard answer.status == 200, let studies = (try? JSONNode(answer.body))?["studies"]?.array else {
            throw unexpected(answer, to: "studyState")
        }
        return studies.first { $0["studyId"]?.text?.lowercased() == study.lowercased() }.map {
            Entry(status: $0["status"]?.text?.lowercased(), participant: $0["participantId"]?.text)
        }
    }

    private static func status(_ status: String, of study: StudyProtocol, _ enrolment: Enrolment) -> JSONText {
        let entry: [JSONText.Member] = [
            .init("studyId", .string(study.studyID)), .init("status", .string(status)),
            .init("participantId", .string(enrolment.participant.text)),
            .init("enrolledDate", .string(enrolment.instant.rfc3339(fractionDigits: 3).dropLast() + "+0000")),
        ]
        return .object([.init("studies", .array([.object(entry)]))])
    }

    private static func state(of study: StudyProtocol, _ progress: MyStudiesProgress) -> JSONText {
        let entry: [JSONText.Member] = [
            .init("studyId", .string(study.studyID)), .init("completion", .integer(Int64(progress.completion))),
            .init("adherence", .integer(Int64(progress.adherence))),
        ]
        return .object([.init("studies", .array([.object(entry)]))])
    }

    private static func state(of study: StudyProtocol, _ activities: [MyStudiesActivityProgress]) -> JSONText {
        let entries = activities.map { activity -> JSONText in
            let run = JSONText.object([
                "total": .integer(Int64(activity.total)), "completed": .integer(Int64(activity.completed)),
                "missed": .integer(Int64(activity.missed)),
            ])
            return .object([
                "activityId": .string(activity.activity), "activityRunId": .string(String(activity.currentRun)),
                "activityState": .string(activity.state.rawValue),
                "activityVersion": .string(study.task(activity.activity)?.wireName ?? ""), "activityRun": run,
            ])
        }
        return .object(["studyId": .string(study.studyID), "activity": .array(entries)])
    }

    private mutating func send(_ action: String, _ body: JSONText) throws {
        let text = body.text
        guard sent[action] != text else { return }
        let response = try ask(action, text)
        guard response.status == 200 else { throw unexpected(response, to: action) }
        sent[action] = text
    }

    private func unexpected(_ answer: ServerAnswer, to action: String) -> PlatformServerError {
        let how = answer.status == 200 ? "but not with what was asked for" : "with status \(answer.status)"
        return PlatformServerError("the server answered \(how)", at: registration.address(of: action))
    }

    /// Logs in first if there is no session, and once more if the server says that it is over.
    private mutating func ask(_ action: String, _ text: String?) throws -> ServerAnswer {
        let response = try call(action, text, try session ?? logIn())
        return response.status == 401 ? try call(action, text, try logIn()) : response
    }

    /// Throws what the server refuses of the account, before a token is used for it. A server that does not answer
    /// now hears of the participant with a later report.
    func check() throws {
        let password = try device.secret(registration.credential)
        guard let answer = try? signIn(with: password), answer.status != 429, answer.status < 500 else { return }
        do { _ = try acceptedSession(in: answer) } catch let error as PlatformServerError {
            throw PlatformServerError(
                error.explanation.cause, at: error.explanation.place,
                remedy: "correct [mystudies.registration] or leave it out (the token was not used)")
        }
    }

    private mutating func logIn() throws -> Session {
        let begun = try acceptedSession(in: signIn(with: device.secret(registration.credential)))
        session = begun
        return begun
    }

    private func signIn(with password: String) throws -> ServerAnswer {
        let body = JSONText.object([
            .init("emailId", .string(registration.account)), .init("password", .string(password)),
        ])
        return try call("login", body.text, nil)
    }

    private func acceptedSession(in response: ServerAnswer) throws -> Session {
        if [400, 401, 403].contains(response.status) {
            throw PlatformServerError(
                "the login was refused (status \(response.status)\(Self.reason(in: response)))",
                at: registration.address(of: "login"), remedy: "check [mystudies.registration]")
        }
        guard response.status == 200, let answer = try? JSONNode(response.body),
            let user = answer["userId"]?.text, let auth = answer["auth"]?.text
        else { throw unexpected(response, to: "login") }
        return Session(user: user, auth: auth)
    }

    /// The server's own words, with the comma before them; "" where it gave none.
    private static func reason(in answer: ServerAnswer) -> String {
        let body = try? JSONNode(answer.body)
        let words = body?["message"]?.text ?? body?["exception"]?.text ?? ""
        return words.isEmpty ? "" : ", \"\(String(words.prefix(200)).shown)\""
    }

    /// POST with a body, GET without one.
    private func call(_ action: String, _ text: String?, _ session: Session?) throws -> ServerAnswer {
        var headers = settings.headers
        if text != nil { headers.append(.init(name: "Content-Type", value: "application/json")) }
        if let session {
            headers += [.init(name: "userId", value: session.user), .init(name: "auth", value: session.auth)]
        }
        let url = registration.address(of: action)
        return try device.send(
            WireRequest(
                method: text == nil ? "GET" : "POST", url: url, headers: headers,
                body: text.map { Array($0.utf8) } ?? []))
    }
}
