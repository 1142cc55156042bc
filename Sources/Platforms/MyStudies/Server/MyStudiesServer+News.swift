// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What may have changed while a study runs.
extension MyStudiesServer {
    /// What `studyUpdates` answers.
    struct Updates: Sendable, Hashable {
        let status: String?
        let version: String?
        /// Anything a device keeps may be another.
        let hasNews: Bool
        /// The consent is another; a box cannot show it.
        let hasNewConsent: Bool
    }

    /// Whether the study is another since `version`; nil where the server does not know.
    func updates(of study: String, since version: String, at base: String) throws -> Updates? {
        let query = [("studyId", study), ("studyVersion", version)]
        guard let bytes = try optional("studyUpdates", query, base), let root = try? JSONNode(bytes) else { return nil }
        let updates = root["updates"]
        let hasNews = ["activities", "resources", "info"].contains { Self.flag(updates?[$0]) ?? false }
        return Updates(
            status: Self.text(updates?["status"]).flatMap { $0.isEmpty ? nil : $0 },
            version: Self.text(root["currentVersion"]).flatMap { $0.isEmpty ? nil : $0 }, hasNews: hasNews,
            hasNewConsent: Self.flag(updates?["consent"]) ?? false)
    }

    /// More messages than these are not looked at.
    private static let mostMessages = 1_000

    /// Messages to participants of that study that are not among `known`, oldest first; those of
    /// the whole gateway are left out.
    ///
    /// The server gives a page at a time, the latest first: nothing new on a page means that there
    /// is nothing new behind it.
    func messages(of study: String, at base: String, except known: Set<String>) throws -> [StudyMessage] {
        var messages: [StudyMessage] = []
        var seen = 0
        while seen < Self.mostMessages {
            guard let bytes = try optional("notifications", [("skip", String(seen))], base),
                let root = try? JSONNode(bytes), case .array(let page)? = root["notifications"]?.content, !page.isEmpty
            else { break }
            seen += page.count
            let news = page.compactMap { Self.message($0, study) }.filter { !known.contains($0.id) }
            messages += news.filter { new in !messages.contains { $0.id == new.id } }
            if news.isEmpty { break }
        }
        return messages.sorted { ($0.date ?? .distantPast) < ($1.date ?? .distantPast) }
    }

    private static func message(_ node: JSONNode, _ study: String) -> StudyMessage? {
        guard let id = text(node["notificationId"]), !id.isEmpty,
            text(node["studyId"])?.lowercased() == study.lowercased()
        else { return nil }
        return StudyMessage(
            id: id, title: plain(node["title"]), text: plain(node["message"]),
            date: text(node["date"]).flatMap(MyStudiesRows.instant))
    }

    private static func plain(_ node: JSONNode?) -> String {
        PlainText(html: String((text(node) ?? "").prefix(2_000))).text
    }

    /// Asks the Response server for a row of the participant's own.
    func row(_ variable: ServerVariable, of participant: String) throws -> MyStudiesRows? {
        let parameters = [("participantId", participant), ("sql", MyStudiesRows.query(variable))]
        let query = parameters.map { "\($0.0)=\(Self.encoded($0.1))" }.joined(separator: "&")
        let url = settings.address(of: "executeSQL") + "?" + query
        do {
            return MyStudiesRows(try device.get(url, headers: headers))
        } catch let error as DownloadError where error.status == 400 || error.status == 404 {
            // A list that nobody has written to yet does not exist.
            return nil
        }
    }
}

extension Instant {
    fileprivate static let distantPast = Instant(nanoseconds: .min)
}
