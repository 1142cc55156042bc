// SPDX-License-Identifier: Apache-2.0
import Base
import FoundationEssentials
import Study

/// The study metadata server: what it has of a study, and what may have changed while it runs.
/// `MyStudiesServer` calls it. Blocks: call it on a separate thread.
struct MyStudiesMetadata {
    /// Bounds the requests; a longer list is refused.
    private static let mostActivities = 1_000

    private let base: String
    private let settings: MyStudiesSettings
    private let device: any PlatformDevice

    init(_ base: String, _ settings: MyStudiesSettings, over device: any PlatformDevice) {
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.settings = settings
        self.device = device
    }

    /// A study as the server's list has it.
    struct Entry: Sendable, Hashable {
        let title: String
        let version: String?
        /// `Active`, `Paused`, `Upcoming`, `Closed`; nil where the server does not say.
        let status: String?
        let isEnrolling: Bool
        let allowsRejoining: Bool
    }

    /// What is requested in addition to the activities; a server may lack any of them.
    private static let extras = ["studyInfo", "resources", "studyDashboard"]

    /// The raw answer of `activityList`.
    func list(of study: String) throws -> [UInt8] {
        try get("activityList", [("studyId", study)])
    }

    /// Everything the server has of a study that this device can use: its list, each activity, and its texts
    /// where there are any.
    func files(of study: String, entry: Entry?, list: [UInt8]? = nil) throws -> [StudySource.File] {
        let list = try list ?? self.list(of: study)
        guard let root = try? JSONNode(list), let activities = root["activities"]?.array else {
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
            guard let id = activity["activityId"]?.text,
                MyStudiesListing.isActive(state: activity["state"]?.text)
            else { continue }
            let version = activity["activityVersion"]?.text ?? "1.0"
            let query = [("studyId", study), ("activityId", id), ("activityVersion", version)]
            files.append(.init(name: "\(id)_\(version).json", bytes: try get("activity", query)))
        }
        for name in Self.extras {
            guard let bytes = try optional(name, [("studyId", study)]) else { continue }
            files.append(.init(name: name + ".json", bytes: bytes))
        }
        return files
    }

    private static func settings(_ study: String, _ entry: Entry?) -> JSONText {
        .object([
            "identifier": .string(study), "name": entry.map { .string($0.title) },
            "study_version": entry?.version.map { JSONText.string($0) },
            "rejoin": entry.map { .boolean($0.allowsRejoining) },
        ])
    }

    /// The study in the server's list. Without an organisation, which the list requires, only what
    /// `studyUpdates` says. Nil where the server has neither, or the list does not have the study.
    func entry(of study: String) throws -> Entry? {
        guard !settings.organisation.isEmpty else {
            return try updates(of: study, since: "1.0").map {
                Entry(title: "", version: $0.version, status: $0.status, isEnrolling: true, allowsRejoining: true)
            }
        }
        guard let bytes = try optional("studyList", []), let root = try? JSONNode(bytes),
            let studies = root["studies"]?.array
        else { return nil }
        let node = studies.first { $0["studyId"]?.text?.lowercased() == study.lowercased() }
        return node.map { node in
            Entry(
                title: PlainText(html: node["title"]?.text ?? "").text,
                version: node["studyVersion"]?.text, status: node["status"]?.text,
                isEnrolling: node["settings"]?["enrolling"]?.boolean ?? true,
                allowsRejoining: node["settings"]?["rejoin"]?.boolean ?? true)
        }
    }

    /// The consent that the study asks for; nil where the server has none.
    func consent(of study: String) throws -> MyStudiesConsent? {
        guard let bytes = try optional("eligibilityConsent", [("studyId", study)]) else { return nil }
        guard let root = try? JSONNode(bytes) else {
            throw PlatformServerError("the answer to eligibilityConsent is not JSON", at: base)
        }
        return root["consent"].map(MyStudiesConsent.init)
    }

    /// Throws if the study takes no participants now.
    static func refuseClosed(_ entry: Entry?, study: String) throws {
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
    private func optional(_ name: String, _ query: [(String, String)]) throws -> [UInt8]? {
        do {
            let bytes = try get(name, query)
            return bytes.isEmpty ? nil : bytes
        } catch let error as DownloadError where error.status == 404 || error.status == 204 {
            return nil
        }
    }

    struct Updates: Sendable, Hashable {
        let status: String?
        let version: String?
        /// Something that a device keeps may have changed.
        let hasNews: Bool
        /// The consent has changed; this device cannot show it.
        let hasNewConsent: Bool
    }

    /// What has changed in the study since `version`; nil where the server does not know.
    func updates(of study: String, since version: String) throws -> Updates? {
        let query = [("studyId", study), ("studyVersion", version)]
        guard let bytes = try optional("studyUpdates", query), let root = try? JSONNode(bytes) else { return nil }
        let updates = root["updates"]
        let hasNews = ["activities", "resources", "info"].contains { updates?[$0]?.boolean ?? false }
        return Updates(
            status: updates?["status"]?.text.flatMap { $0.isEmpty ? nil : $0 },
            version: root["currentVersion"]?.text.flatMap { $0.isEmpty ? nil : $0 }, hasNews: hasNews,
            hasNewConsent: updates?["consent"]?.boolean ?? false)
    }

    /// Bounds the pages that are requested.
    private static let mostMessages = 1_000

    /// Messages to participants of the study whose ids are not in `known`, oldest first; messages to
    /// participants of all studies are left out.
    ///
    /// The server gives pages of all studies' messages, the latest first, so the first page that has
    /// messages of this study but no new one is the last. A later release of the server gives messages of
    /// studies only with a `verificationTime`, and only those after it; the earlier one ignores it.
    func messages(of study: String, except known: Set<String>) throws -> [StudyMessage] {
        var messages: [StudyMessage] = []
        var seen = 0
        var ids: Set<String> = []
        while seen < Self.mostMessages {
            let query = [("skip", String(seen)), ("verificationTime", "1970-01-02 00:00:00")]
            guard let bytes = try optional("notifications", query), let root = try? JSONNode(bytes),
                let page = root["notifications"]?.array, !page.isEmpty
            else { break }
            seen += page.count
            let ours = page.compactMap { Self.message($0, study) }
            let news = ours.filter { !known.contains($0.id) }
            messages += news.filter { new in !messages.contains { $0.id == new.id } }
            if news.isEmpty, !ours.isEmpty { break }
            // A server that knows no `skip` gives the same page again.
            let before = ids.count
            ids.formUnion(page.compactMap { $0["notificationId"]?.text })
            if ids.count == before { break }
        }
        return messages.sorted { ($0.date ?? .distantPast) < ($1.date ?? .distantPast) }
    }

    private static func message(_ node: JSONNode, _ study: String) -> StudyMessage? {
        guard let id = node["notificationId"]?.text, !id.isEmpty,
            node["studyId"]?.text?.lowercased() == study.lowercased()
        else { return nil }
        return StudyMessage(
            id: id, title: plain(node["title"]), text: plain(node["message"]),
            date: node["date"]?.text.flatMap(MyStudiesRows.instant))
    }

    private static func plain(_ node: JSONNode?) -> String {
        PlainText(html: String((node?.text ?? "").prefix(2_000))).text
    }

    private func get(_ name: String, _ query: [(String, String)]) throws -> [UInt8] {
        let folder = base.hasSuffix("/StudyMetaData") ? base : base + "/StudyMetaData"
        let words = query.map { "\($0.0)=\(PercentCode.encoded($0.1))" }.joined(separator: "&")
        var headers = settings.headers
        if let application = settings.application, let secret = try settings.credential.map(device.secret) {
            let pair = Data("\(application):\(secret)".utf8).base64EncodedString()
            headers.append(.init(name: "Authorization", value: "Basic " + pair))
        }
        let address = "\(folder)/\(name)" + (words.isEmpty ? "" : "?" + words)
        return try device.get(address, headers: headers)
    }
}

extension Instant {
    fileprivate static let distantPast = Instant(nanoseconds: .min)
}
