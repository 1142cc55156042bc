// SPDX-License-Identifier: Apache-2.0
import Base
import Lab
import SystemKit

/// What `study.json` says of a study: its version, its status, and its entry in the study list. A part of
/// `MyStudiesStudy`.
///
///     {"studyVersion": "1.1", "status": "Active", "title": "…", "category": "…", "sponsorName": "…", "tagline": "…", "logo": "",
///      "settings": {"enrolling": true, "platform": "all", "rejoin": true},
///      "collectionEnabled": true, "timeZone": "America/New_York", "withdrawalConfig": {"type": "ask_user", "message": "…"}}
///
/// Everything may be left out; `studyId` is needed where no activity names it. Without
/// `collectionEnabled` runs are taken unless the study is paused or closed.
struct MyStudiesState: Sendable {
    /// What the platform calls a study's status.
    enum Status: String, Sendable, CaseIterable {
        case active = "Active"
        case paused = "Paused"
        case upcoming = "Upcoming"
        case closed = "Closed"
    }

    let version: String
    let status: Status
    /// False: the Response server takes no runs.
    let collects: Bool
    /// The zone in which the Response server writes times; the platform's apps assume New York's.
    let zone: Zone
    private let root: JSONValue

    /// Throws where a value is not one that the platform has; `path` is for the message.
    init(_ root: JSONValue?, path: String) throws {
        self.root = root ?? .object([])
        guard case .object = self.root else { throw StandInFailure("\(path) is not an object") }
        version = try Self.text("studyVersion", in: self.root, path) ?? "1.0"
        guard Double(version) != nil else {
            throw StandInFailure("\(path): studyVersion \(version) is not a number, e.g. 1.0")
        }
        let word = try Self.text("status", in: self.root, path) ?? Status.active.rawValue
        guard let status = Status(rawValue: word) else {
            let all = Status.allCases.map(\.rawValue).joined(separator: ", ")
            throw StandInFailure("\(path): status \(word) is not one of \(all)")
        }
        self.status = status
        collects = self.root["collectionEnabled"]?.bool ?? (status != .paused && status != .closed)
        let name = try Self.text("timeZone", in: self.root, path) ?? "America/New_York"
        do { zone = try Zone.load(name) } catch { throw StandInFailure("\(path): timeZone: \(error)") }
    }

    /// `all`, `ios` or `android`.
    var platform: String { root["settings"]?["platform"]?.string ?? "all" }

    /// What participants may choose when they leave; nil where the study does not say.
    var withdrawalConfig: JSONValue? { root["withdrawalConfig"] }

    /// Its entry in the study list.
    func entry(_ id: String) -> JSONValue {
        let settings = root["settings"] ?? .object([])
        func text(_ name: String, _ missing: String = "") -> JSONValue { root[name] ?? .string(missing) }
        return .members([
            "studyId": .string(id), "studyVersion": .string(version), "title": text("title", id),
            "category": text("category"), "sponsorName": text("sponsorName"), "tagline": text("tagline"),
            "status": .string(status.rawValue), "logo": text("logo"), "studyLanguage": text("studyLanguage", "English"),
            "settings": .members([
                "enrolling": settings["enrolling"] ?? .boolean(true), "platform": .string(platform),
                "rejoin": settings["rejoin"] ?? .boolean(true),
            ]),
        ])
    }

    private static func text(_ name: String, in root: JSONValue, _ path: String) throws -> String? {
        guard let value = root[name], !value.isNull else { return nil }
        guard let text = value.string else { throw StandInFailure("\(path): \(name) is not a text") }
        return text
    }
}
