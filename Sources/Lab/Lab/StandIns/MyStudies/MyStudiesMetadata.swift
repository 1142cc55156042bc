// SPDX-License-Identifier: Apache-2.0

/// The study metadata server's answers, for an application of one platform.
///
/// What lies in the study's folder as `<call>.json` is answered as it is, but for what the
/// platform is not shown; where it does not lie there, the answer is what the server gives for a
/// study without it.
struct MyStudiesMetadata: Sendable {
    /// What is asked: a call's name, its query and its header fields.
    struct Question {
        let name: String
        let query: (String) -> String?
        let field: (String) -> String?
    }

    /// A refusal, with the server's header fields `status`, `title` and `StatusMessage`.
    struct Refusal: Error, Sendable {
        let status: Int
        let code: String
        let title: String
        let message: String

        static func missing(_ what: String) -> Self {
            Self(status: 400, code: "102", title: "INVALID_INPUT", message: "Invalid input: \(what) is missing")
        }
        static func unknown(_ what: String) -> Self {
            Self(status: 404, code: "102", title: "INVALID_INPUT", message: "Invalid \(what)")
        }
        static let noData = Self(status: 204, code: "103", title: "NO_DATA", message: "No data available")
    }

    let studies: [MyStudiesStudy]
    /// `ios` or `android`.
    let platform: String
    /// Whose application must ask where the real server wants to know; nil = anybody's.
    let organisation: String?
    /// A study's version as it was first seen.
    let earlier: @Sendable (_ study: String, _ version: String) async throws -> MyStudiesFingerprint?

    private static let notificationsAtOnce = 20

    /// The answer to one question; throws `Refusal`.
    func answer(_ question: Question) async throws -> JSONValue {
        switch question.name {
        case "studyList":
            try checkOrganisation(question)
            return studyList
        case "notifications": return try notifications(question)
        default: return try await answer(question, try study(question))
        }
    }

    /// The calls that name no study want both header fields.
    private func checkOrganisation(_ question: Question) throws {
        guard let organisation else { return }
        for field in ["applicationId", "orgId"] where question.field(field)?.isEmpty != false {
            throw Refusal.missing(field)
        }
        guard question.field("orgId") == organisation else { throw Refusal.unknown("orgId") }
    }

    private func answer(_ question: Question, _ study: MyStudiesStudy) async throws -> JSONValue {
        switch question.name {
        case "study": return Self.success(["studies": .array([entry(study)])])
        case "activityList": return try activityList(study)
        case "activity": return try activity(question, study)
        case "studyInfo": return withdrawal(study, studyInfo(study))
        case "resources": return study.file("resources") ?? Self.success(["resources": .array([])])
        case "studyDashboard": return dashboard(study)
        case "participantProperties": return properties(study)
        case "eligibilityConsent":
            guard let file = study.file("eligibilityConsent") else { throw Refusal.noData }
            return file
        case "consentDocument": return try consentDocument(question, study)
        case "studyUpdates": return try await updates(question, study)
        default: throw Refusal.unknown("call \(question.name)")
        }
    }

    // MARK: One study

    private func study(_ question: Question) throws -> MyStudiesStudy {
        let id = try Self.parameter("studyId", question)
        guard let study = studies.first(where: { $0.id == id.uppercased() }), isShown(study) else {
            throw Refusal.unknown("study id")
        }
        return study
    }

    private func isShown(_ study: MyStudiesStudy) -> Bool { ["all", platform].contains(study.state.platform) }

    private func entry(_ study: MyStudiesStudy) -> JSONValue { study.state.entry(study.writtenID) }

    private func activityList(_ study: MyStudiesStudy) throws -> JSONValue {
        guard let list = study.file("activityList") else { throw Refusal.noData }
        let shown = (list["activities"]?.array ?? []).filter(isShown)
        return withdrawal(study, list.with("activities", .array(shown)))
    }

    /// Of active tasks an android application is shown fetal kick counters only.
    private func isShown(_ activity: JSONValue) -> Bool {
        platform != "android" || ["", "fetalKickCounter"].contains(activity["taskSubType"]?.string ?? "")
    }

    private func activity(_ question: Question, _ study: MyStudiesStudy) throws -> JSONValue {
        let id = try Self.parameter("activityId", question)
        let version = try Self.parameter("activityVersion", question)
        guard let file = study.activity(id, version)?.root, !isHidden(id, study) else {
            throw Refusal.unknown("activity id")
        }
        return file
    }

    private func isHidden(_ activity: String, _ study: MyStudiesStudy) -> Bool {
        let listed = study.file("activityList")?["activities"]?.array ?? []
        return listed.contains { $0["activityId"]?.string == activity && !isShown($0) }
    }

    private func studyInfo(_ study: MyStudiesStudy) -> JSONValue {
        study.file("studyInfo") ?? Self.success(["studyWebsite": .string(""), "info": .array([])])
    }

    /// With what `study.json` says of leaving, where the file itself does not.
    private func withdrawal(_ study: MyStudiesStudy, _ answer: JSONValue) -> JSONValue {
        guard answer["withdrawalConfig"] == nil, let config = study.state.withdrawalConfig else { return answer }
        return answer.with("withdrawalConfig", config)
    }

    /// The present one, or that of a version, which lies in `consentDocument_<version>.json`
    /// once it is past.
    private func consentDocument(_ question: Question, _ study: MyStudiesStudy) throws -> JSONValue {
        let present = study.file("consentDocument")
        guard let version = question.query("consentVersion"), !version.isEmpty,
            present?["consent"]?["version"]?.string != version
        else {
            guard let present else { throw Refusal.noData }
            return present
        }
        guard let earlier = study.file("consentDocument_" + version) else { throw Refusal.noData }
        return earlier
    }

    private func dashboard(_ study: MyStudiesStudy) -> JSONValue {
        guard let file = study.file("studyDashboard") else {
            let empty = JSONValue.members(["statistics": .array([]), "charts": .array([])])
            return Self.success(["dashboard": empty])
        }
        guard platform == "android", let board = file["dashboard"] else { return file }
        let shown = ["statistics", "charts"].reduce(board) { board, name in
            guard let entries = board[name]?.array else { return board }
            let left = entries.filter { entry in
                !isHidden(entry["dataSource"]?["activity"]?["activityId"]?.string ?? "", study)
            }
            return board.with(name, .array(left))
        }
        return file.with("dashboard", shown)
    }

    private func properties(_ study: MyStudiesStudy) -> JSONValue {
        study.file("participantProperties")
            ?? Self.success([
                "metadata": .members([
                    "studyId": .string(study.writtenID), "studyVersion": .string(study.state.version),
                ]), "participantProperties": .array([]),
            ])
    }

    private func updates(_ question: Question, _ study: MyStudiesStudy) async throws -> JSONValue {
        let asked = try Self.parameter("studyVersion", question)
        guard let number = Double(asked), let current = Double(study.state.version) else { throw Refusal.noData }
        let status = study.state.status.rawValue
        // Somebody who is ahead of us has nothing to fetch.
        let first = number > current ? study.fingerprint : try await earlier(study.id, asked)
        return Self.success([
            "updates": study.fingerprint.updates(since: first, status: status),
            "currentVersion": .string(study.state.version),
        ])
    }

    // MARK: All studies

    private var studyList: JSONValue {
        common("studyList") ?? Self.success(["studies": .array(studies.filter(isShown).map(entry))])
    }

    /// The file of the first study that has it.
    private func common(_ name: String) -> JSONValue? { studies.lazy.compactMap { $0.file(name) }.first }

    /// Those of all studies, the latest first, twenty at once.
    private func notifications(_ question: Question) throws -> JSONValue {
        let text = try Self.parameter("skip", question)
        guard let skip = Int(text), skip >= 0 else { throw Refusal.noData }
        let all = studies.filter(isShown).flatMap { $0.file("notifications")?["notifications"]?.array ?? [] }
        let sorted = all.enumerated().sorted { left, right in
            let dates = (left.element["date"]?.string ?? "", right.element["date"]?.string ?? "")
            return dates.0 == dates.1 ? left.offset < right.offset : dates.0 > dates.1
        }
        let page = sorted.dropFirst(skip).prefix(Self.notificationsAtOnce).map(\.element)
        return Self.success(["notifications": .array(page)])
    }

    // MARK: Forms

    private static func success(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        let all = members.map { JSONValue.Member(name: $0.key, value: $0.value) }
        return .object([.init(name: "message", value: .string("SUCCESS"))] + all)
    }

    private static func parameter(_ name: String, _ question: Question) throws -> String {
        guard let value = question.query(name), !value.isEmpty else { throw Refusal.missing(name) }
        return value
    }
}
