// SPDX-License-Identifier: Apache-2.0
import Lab

/// The study metadata server's answers, for an application of one platform; `MyStudiesRoutes` asks it.
///
/// What lies in the study's folder as `<call>.json` is answered as it is, without what is not shown to that
/// platform (`ios` or `android`); where it does not lie there, the answer is what the server gives for a study
/// without it.
struct MyStudiesMetadataServer: Sendable {
    private typealias Refusal = MyStudiesRefusal

    let studies: [MyStudiesStudy]
    /// `ios` or `android`.
    let platform: String
    /// The consent of each version of a study that was served, by id and version: `S1 1.0`.
    let consents: [String: JSONValue]
    /// The organisation that calls without a study have to name; nil = not asked for.
    let organisation: String?

    private static let notificationsAtOnce = 20

    /// The answer to the call of that name; throws `Refusal`.
    func answer(_ name: String, _ request: HTTPRequest) throws -> JSONValue {
        switch name {
        case "studyList":
            try checkOrganisation(request)
            return studyList
        case "notifications": return try notifications(request)
        default: return try answer(name, request, try study(request))
        }
    }

    /// The calls that name no study want both header fields.
    private func checkOrganisation(_ request: HTTPRequest) throws {
        guard let organisation else { return }
        for field in ["applicationId", "orgId"] where request.fields[field]?.isEmpty != false {
            throw Refusal.missing(field)
        }
        guard request.fields["orgId"] == organisation else { throw Refusal.unknown("orgId") }
    }

    private func answer(_ name: String, _ request: HTTPRequest, _ study: MyStudiesStudy) throws -> JSONValue {
        switch name {
        case "activityList": return try activityList(study)
        case "activity": return try activity(request, study)
        case "studyInfo": return withdrawal(study, studyInfo(study))
        case "resources": return study.file("resources") ?? Self.success(["resources": .array([])])
        case "studyDashboard":
            let empty = JSONValue.members(["statistics": .array([]), "charts": .array([])])
            return study.file("studyDashboard") ?? Self.success(["dashboard": empty])
        case "eligibilityConsent":
            guard let file = study.file("eligibilityConsent") else { throw Refusal.noData }
            return file
        case "studyUpdates": return try updates(request, study)
        default: throw Refusal.unknown("call \(name)")
        }
    }

    // MARK: One study

    private func study(_ request: HTTPRequest) throws -> MyStudiesStudy {
        let id = try Self.parameter("studyId", request)
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

    private func activity(_ request: HTTPRequest, _ study: MyStudiesStudy) throws -> JSONValue {
        let id = try Self.parameter("activityId", request)
        let version = try Self.parameter("activityVersion", request)
        let listed = study.file("activityList")?["activities"]?.array ?? []
        let isHidden = listed.contains { $0["activityId"]?.string == id && !isShown($0) }
        guard let file = study.activity(id, version), !isHidden else { throw Refusal.unknown("activity id") }
        return file
    }

    private func studyInfo(_ study: MyStudiesStudy) -> JSONValue {
        study.file("studyInfo") ?? Self.success(["studyWebsite": .string(""), "info": .array([])])
    }

    /// The answer with what `study.json` says of leaving, where the file itself does not say it.
    private func withdrawal(_ study: MyStudiesStudy, _ answer: JSONValue) -> JSONValue {
        guard answer["withdrawalConfig"] == nil, let config = study.state.withdrawalConfig else { return answer }
        return answer.with("withdrawalConfig", config)
    }

    /// For an older version everything counts as changed, the consent only where it has; a device
    /// that is ahead has nothing to fetch.
    private func updates(_ request: HTTPRequest, _ study: MyStudiesStudy) throws -> JSONValue {
        let asked = try Self.parameter("studyVersion", request)
        guard let number = Double(asked), let current = Double(study.state.version) else { throw Refusal.noData }
        let isOlder = JSONValue.boolean(number < current)
        return Self.success([
            "updates": .members([
                "consent": .boolean(number < current && consents["\(study.id) \(asked)"] != study.consent),
                "activities": isOlder, "resources": isOlder, "info": isOlder,
                "status": .string(study.state.status.rawValue),
            ]), "currentVersion": .string(study.state.version),
        ])
    }

    // MARK: All studies

    private var studyList: JSONValue {
        common("studyList") ?? Self.success(["studies": .array(studies.filter(isShown).map(entry))])
    }

    /// The file of the first study that has it.
    private func common(_ name: String) -> JSONValue? { studies.lazy.compactMap { $0.file(name) }.first }

    /// The notifications of all studies, the latest first, twenty at once.
    private func notifications(_ request: HTTPRequest) throws -> JSONValue {
        let text = try Self.parameter("skip", request)
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

    private static func parameter(_ name: String, _ request: HTTPRequest) throws -> String {
        guard let value = request.queryItem(name), !value.isEmpty else { throw Refusal.missing(name) }
        return value
    }
}
