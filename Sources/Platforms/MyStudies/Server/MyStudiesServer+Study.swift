// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What the study metadata server has of a study.
extension MyStudiesServer {
    /// A study as the server's list has it.
    struct Entry: Sendable, Hashable {
        let title: String
        let version: String?
        /// `Active`, `Paused`, `Upcoming`, `Closed`; nil where the server does not say.
        let status: String?
        let isEnrolling: Bool
        let allowsRejoining: Bool
    }

    /// Names of what is asked for besides the activities; a server that has one of them
    /// not is no fault.
    private static let extras = ["studyInfo", "resources", "studyDashboard"]

    /// Everything the metadata server has of a study that a box can use: its list, each activity,
    /// and its texts where it has them.
    private func files(of study: String, at base: String) throws -> [StudySource.File] {
        try files(of: study, at: base, entry: entry(of: study, at: base))
    }

    /// The answer to `activityList`.
    func list(of study: String, at base: String) throws -> [UInt8] {
        try metadata("activityList", [("studyId", study)], base)
    }

    func files(of study: String, at base: String, entry: Entry?, list: [UInt8]? = nil) throws -> [StudySource.File] {
        let list = try list ?? self.list(of: study, at: base)
        guard let root = try? JSONNode(list), case .array(let activities)? = root["activities"]?.content else {
            throw PlatformServerError("the answer to activityList is not a list of activities", at: base)
        }
        guard activities.count <= Self.mostActivities else {
            throw PlatformServerError(
                "\(activities.count) activities; at most \(Self.mostActivities) are taken", at: base)
        }
        var files: [StudySource.File] = [
            .init(name: "activityList.json", bytes: list),
            .init(name: "study.json", bytes: Array(Self.settings(study, entry).text.utf8)),
        ]
        for activity in activities {
            // One that was deleted may have no metadata any more.
            guard let id = Self.text(activity["activityId"]),
                MyStudiesListing.isActive(state: Self.text(activity["state"]))
            else { continue }
            let version = Self.text(activity["activityVersion"]) ?? "1.0"
            let query = [("studyId", study), ("activityId", id), ("activityVersion", version)]
            files.append(.init(name: "\(id)_\(version).json", bytes: try metadata("activity", query, base)))
        }
        for name in Self.extras {
            guard let bytes = try optional(name, [("studyId", study)], base) else { continue }
            files.append(.init(name: name + ".json", bytes: bytes))
        }
        return files
    }

    private static func settings(_ study: String, _ entry: Entry?) -> JSONText {
        var members: [JSONText.Member] = [.init("identifier", .string(study))]
        if let entry {
            members.append(.init("name", .string(entry.title)))
            if let version = entry.version { members.append(.init("study_version", .string(version))) }
            members.append(.init("rejoin", .boolean(entry.allowsRejoining)))
        }
        return .object(members)
    }

    /// The study in the server's list; without an organisation, which the list asks for, as
    /// far as `studyUpdates` tells. Nil where the server has neither, or the study does not
    /// stand in the list.
    func entry(of study: String, at base: String) throws -> Entry? {
        guard !settings.organisation.isEmpty else {
            return try updates(of: study, since: "1.0", at: base).map {
                Entry(title: "", version: $0.version, status: $0.status, isEnrolling: true, allowsRejoining: true)
            }
        }
        guard let bytes = try optional("studyList", [], base), let root = try? JSONNode(bytes),
            case .array(let studies)? = root["studies"]?.content
        else { return nil }
        let node = studies.first { Self.text($0["studyId"])?.lowercased() == study.lowercased() }
        return node.map { node in
            Entry(
                title: PlainText(html: Self.text(node["title"]) ?? "").text, version: Self.text(node["studyVersion"]),
                status: Self.text(node["status"]), isEnrolling: Self.flag(node["settings"]?["enrolling"]) ?? true,
                allowsRejoining: Self.flag(node["settings"]?["rejoin"]) ?? true)
        }
    }

    /// Refuses a consent to another version than the study's; a server that does not say its
    /// version is believed.
    func refuseOutdated(_ consent: JoinRequest.Consent?, study: String, at base: String) throws {
        guard let consent, let bytes = try optional("eligibilityConsent", [("studyId", study)], base),
            let version = Self.text((try? JSONNode(bytes))?["consent"]?["version"]), !version.isEmpty,
            version != consent.version
        else { return }
        throw PlatformServerError(
            "the study's consent is version \(version), and the one recorded is \(consent.version)",
            remedy: "ask the participant to consent to the current one and record it (the token was not used)")
    }

    /// Refuses a study that takes nobody now, in words.
    func refuseClosed(_ entry: Entry?, study: String) throws {
        guard let entry else { return }
        let status = entry.status?.lowercased() ?? "active"
        guard status == "active", entry.isEnrolling else {
            throw PlatformServerError(
                "study \(study) is not open for enrolment: it is \(entry.status ?? "active")"
                    + (entry.isEnrolling ? "" : ", and enrolment is switched off"),
                remedy: "ask the study team (the token was not used)")
        }
    }

    /// Nil where the server has no such thing (404), or nothing in it (204).
    func optional(_ name: String, _ query: [(String, String)], _ base: String) throws -> [UInt8]? {
        do {
            let bytes = try metadata(name, query, base)
            return bytes.isEmpty ? nil : bytes
        } catch let error as DownloadError where error.status == 404 || error.status == 204 {
            return nil
        }
    }

    static func flag(_ node: JSONNode?) -> Bool? {
        if case .boolean(let value)? = node?.content { value } else { nil }
    }
}
