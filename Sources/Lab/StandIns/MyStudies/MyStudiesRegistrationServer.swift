// SPDX-License-Identifier: Apache-2.0
import Base
import Lab
import SystemKit

/// The registration server's decisions, as `MyStudiesRoutes` asks for them: sign-in, and what a companion phone
/// would show of studies and activities.
///
/// Accounts come from `accounts.json` in a study's folder, or from a separate file:
///
///     {"accounts": [{"userId": "U1", "emailId": "a@example.org", "password": "…", "verified": true}]}
actor MyStudiesRegistrationServer {
    private typealias Refusal = MyStudiesRefusal

    /// A call: its header fields and its JSON.
    struct Call: Sendable {
        let fields: HTTPFields
        let body: JSONValue
    }

    /// An account for signing in. Never printed: it holds a password.
    private struct Account {
        let user: String
        let email: String
        let password: String
        let isVerified: Bool
    }

    private let repository: MyStudiesRepository
    private let store: MyStudiesStore
    /// A file with accounts, in addition to those in the studies' folders.
    let file: String?
    /// How long an `auth` is good for.
    private let lifetime: Duration
    /// The `orgId` that calls have to name; nil = not asked for.
    private let organisation: String?
    private let newID: @Sendable () -> String

    init(
        repository: MyStudiesRepository, store: MyStudiesStore, file: String?, lifetime: Duration,
        organisation: String?, newID: @escaping @Sendable () -> String
    ) {
        (self.repository, self.store, self.file) = (repository, store, file)
        (self.lifetime, self.organisation, self.newID) = (lifetime, organisation, newID)
    }

    // MARK: Sessions

    /// `login`: {emailId, password}.
    func login(_ call: Call, at now: Instant) async throws -> JSONValue {
        try checkApplication(call)
        guard let email = call.body["emailId"]?.string?.lowercased(), !email.isEmpty,
            let password = call.body["password"]?.string, !password.isEmpty
        else { throw Refusal.input }
        guard let account = try await accounts().first(where: { $0.email == email }), account.password == password
        else { throw Refusal.credentials }
        let auth = try Digest(ofText: newID()).description
        try await store.begin(
            session: Digest(ofText: auth).bytes, user: account.user, at: now, forgetting: now - lifetime)
        return Self.success([
            "userId": .string(account.user), "verified": .boolean(account.isVerified), "auth": .string(auth),
            "resetPassword": .boolean(false),
        ])
    }

    /// Who calls, checked as the server does: what must be there, whether the user is known,
    /// then the session.
    private func user(_ call: Call, at now: Instant) async throws -> String {
        guard let auth = call.fields["auth"], !auth.isEmpty else { throw Refusal.input }
        try checkApplication(call)
        guard let user = call.fields["userId"], try await accounts().contains(where: { $0.user == user }) else {
            throw Refusal.input
        }
        guard let session = try await store.session(Digest(ofText: auth).bytes), session.user == user,
            now - session.begun < lifetime
        else { throw Refusal.session }
        return user
    }

    private func checkApplication(_ call: Call) throws {
        guard let organisation else { return }
        guard call.fields["orgId"] == organisation else { throw Refusal.input }
        for name in ["applicationId", "orgId"] where call.fields[name]?.isEmpty != false { throw Refusal.input }
    }

    private func accounts() async throws -> [Account] {
        let served = await repository.studies().compactMap { $0.file("accounts") }
        return Self.accounts(try served + Self.own(file))
    }

    /// Apart from the function that awaits: Swift 6.3.1 crashes with `-O` on the two in one.
    @inline(never)
    private static func own(_ file: String?) throws -> [JSONValue] {
        guard let file else { return [] }
        return [try StandInFailure.json(BoundedFile.read(file, limit: 1 << 20), file)]
    }

    private static func accounts(_ roots: [JSONValue]) -> [Account] {
        roots.flatMap { $0["accounts"]?.array ?? [] }.compactMap { account in
            guard let user = account["userId"]?.string, let email = account["emailId"]?.string,
                let password = account["password"]?.string
            else { return nil }
            return Account(
                user: user, email: email.lowercased(), password: password,
                isVerified: account["verified"]?.bool ?? true)
        }
    }

    // MARK: States

    private static let studyFields = ["status", "participantId", "completion", "adherence", "bookmarked"]
    private static let activityFields = [
        "activityVersion", "activityState", "activityRunId", "bookmarked", "activityStartDate", "activityEndDate",
        "anchorDateVersion", "anchorDatecreatedDate", "lastModifiedDate", "customScheduleRuns", "activityRun",
    ]

    /// `updateStudyState`: {studies:[{studyId, status, …}]}; what is left out stays as it was.
    func updateStudies(_ call: Call, at now: Instant) async throws -> JSONValue {
        let user = try await user(call, at: now)
        for study in call.body["studies"]?.array ?? [] {
            guard let id = study["studyId"]?.string, !id.isEmpty else { throw Refusal.input }
            let known = try await store.userState(user, study: id, activity: "")
            var state = known ?? .members(["studyId": .string(id), "status": .string("yetToJoin")])
            let isJoining = study["status"]?.string?.lowercased() == "inprogress"
            let wasWaiting = known?["status"]?.string?.lowercased() == "yettojoin"
            if isJoining || wasWaiting { state = state.with("enrolledDate", .string(Self.written(now))) }
            // Joining again starts the activities again.
            if isJoining, known != nil { try await store.forgetActivities(of: user, study: id) }
            state = Self.merged(state, study, Self.studyFields)
            try await store.keep(userState: state, of: user, study: id, activity: "")
        }
        return Self.success([:])
    }

    /// `studyState`.
    func studies(_ call: Call, at now: Instant) async throws -> JSONValue {
        let user = try await user(call, at: now)
        let shown = Set(Self.studyFields + ["studyId", "enrolledDate"])
        let studies = try await store.userStudies(user).map { state in
            JSONValue.object(state.members.filter { shown.contains($0.name) })
        }
        return Self.success(["studies": .array(studies)])
    }

    /// `updateActivityState`: {studyId, activity:[{activityId, …}]}.
    func updateActivities(_ call: Call, at now: Instant) async throws -> JSONValue {
        let user = try await user(call, at: now)
        guard let study = call.body["studyId"]?.string, !study.isEmpty, let activities = call.body["activity"]?.array,
            !activities.isEmpty
        else { throw Refusal.input }
        for activity in activities {
            guard let id = activity["activityId"]?.string, !id.isEmpty else { throw Refusal.input }
            let known = try await store.userState(user, study: study, activity: id)
            let state = Self.merged(known ?? .members(["activityId": .string(id)]), activity, Self.activityFields)
            try await store.keep(userState: state, of: user, study: study, activity: id)
        }
        return Self.success([:])
    }

    /// `updateEligibilityConsentStatus`: {studyId, eligibility, consent: {version, status, pdf}, sharing}; the
    /// document is not kept.
    func updateConsent(_ call: Call, at now: Instant) async throws -> JSONValue {
        let user = try await user(call, at: now)
        guard let study = call.body["studyId"]?.string, !study.isEmpty, let consent = call.body["consent"],
            let version = consent["version"]?.string, !version.isEmpty, let status = consent["status"]?.string,
            !status.isEmpty
        else { throw Refusal.input }
        let known = try await store.userState(user, study: study, activity: "")
        let state = (known ?? .members(["studyId": .string(study), "status": .string("yetToJoin")]))
            .with("consent", .members(["version": .string(version), "status": .string(status)]))
        try await store.keep(
            userState: Self.merged(state, call.body, ["eligibility", "sharing"]), of: user, study: study, activity: "")
        return Self.success([:])
    }

    private static func merged(_ state: JSONValue, _ news: JSONValue, _ fields: [String]) -> JSONValue {
        fields.reduce(state) { state, name in
            guard let value = news[name], !value.isNull, value != .string("") else { return state }
            return state.with(name, value)
        }
    }

    private static func written(_ instant: Instant) -> String {
        LocalDateTime(instant, offset: 0).text(fractionDigits: 3) + "+0000"
    }

    private static func success(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        let all = members.map { JSONValue.Member(name: $0.key, value: $0.value) }
        return .object([.init(name: "message", value: .string("success"))] + all)
    }
}
