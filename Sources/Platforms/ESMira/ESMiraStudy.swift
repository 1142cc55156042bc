// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What datasets and the server's other calls say of a study: `ESMiraDecoder` reads it for `ESMiraWriter`,
/// scripts and charts, `ESMiraServer` for its calls.
struct ESMiraStudy: Sendable, Hashable {
    let id: Int
    let version: Int
    let subVersion: Int
    /// Of the study's format; sent back with each dataset, as our own level where the study says none.
    let serverVersion: Int
    /// Empty where the study says none.
    let language: String
    /// Empty where the study has none.
    let accessKey: String
    /// `randomGroups`. The editor writes 1 where there are none.
    let groups: Int
    /// `eventUploadSettings`: what is uploaded otherwise than by default.
    let uploads: [String: Bool]
    /// Ids of the study's questionnaires.
    let questionnaires: Set<Int>

    /// Uploaded unless the study says otherwise (`Study.kt`, `isEventUploaded`).
    private static let uploadedByDefault: Set<String> = [
        "joined", "questionnaire", "quit", "actions_executed", "invitation", "schedule_changed",
    ]

    /// The group of a participant in that arm: 1 where the study has a single group, 0 where it has
    /// none (`Study.finishJSON`, ESMira-apps f750e58).
    func group(_ arm: String?) -> Int {
        switch groups {
        case ..<1: 0
        case 1: 1
        default: arm.flatMap { Int($0) } ?? 0
        }
    }

    /// For calls that are answered in the study's language.
    var languageQuery: String { "?lang=" + PercentCode.encoded(language.isEmpty ? "en" : language) }

    func uploads(_ event: String) -> Bool { uploads[event] ?? Self.uploadedByDefault.contains(event) }

    init(_ root: JSONPlace, options: StudyOptions, _ findings: inout Findings) {
        id = findings.integer("id", 0...Int(Int32.max), in: root) ?? 0
        language = findings.text("lang", in: root)
        groups = findings.number("randomGroups", 0...1_000, in: root, default: 0)
        uploads = Self.readUploads(root, &findings)
        version = findings.number("version", -1...Int(Int32.max), in: root, default: -1)
        subVersion = findings.number("subVersion", -1...Int(Int32.max), in: root, default: -1)
        serverVersion = findings.number("serverVersion", 0...Int(Int32.max), in: root, default: Int(ESMiraWire.level))
        accessKey = options.accessKey ?? Self.onlyKey(root) ?? ""
        questionnaires = Set(
            root.member("questionnaires")?.elements?.compactMap { $0.member("internalId")?.integer } ?? [])
    }

    /// Read from a stored study; nil where what was stored cannot be read as one.
    init?(_ known: KnownStudy) {
        let source = StudyBundle.source(known.bytes) ?? StudySource(known.bytes)
        guard let file = source.files.first, let root = try? JSONNode(file.bytes) else { return nil }
        var findings = Findings()
        let place = ESMiraLanguage.study(in: root, asked: source.options.askedLanguage)
        self.init(place, options: source.options, &findings)
        guard findings.problems.isEmpty else { return nil }
    }

    /// Those of `DataSet.EventTypes` that have no counterpart here: what only iPhones send, and a
    /// choice of language.
    private static let phoneEvents: Set<String> = ["actions_executed", "language_changed", "rejoined"]

    private static func readUploads(_ root: JSONPlace, _ findings: inout Findings) -> [String: Bool] {
        guard let place = root.member("eventUploadSettings"), case .object(let members) = place.node.content else {
            return [:]
        }
        var settings: [String: Bool] = [:]
        for member in members.prefix(100) {
            if case .boolean(let value) = member.value.content { settings[member.key] = value }
            if settings[member.key] == true, phoneEvents.contains(member.key), let event = place.member(member.key) {
                findings.unsupported("\"\(member.key)\" is an event of phones and is never sent", at: event)
            }
        }
        return settings
    }

    /// The key of a study that has a single one: it need not be given when enrolling.
    private static func onlyKey(_ root: JSONPlace) -> String? {
        guard let keys = root.member("accessKeys")?.elements, keys.count == 1 else { return nil }
        return keys[0].text
    }
}
