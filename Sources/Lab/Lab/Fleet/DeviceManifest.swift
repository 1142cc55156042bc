// SPDX-License-Identifier: Apache-2.0
import Base
import Dataset

/// Everything a device produced on one day, or a part of that list, as it posts it to `/manifests`; checked.
/// `FleetRoutes` or `Mirror` reads it, `FleetArchive` keeps the entries.
struct DeviceManifest: Sendable, Hashable {
    struct Entry: Sendable, Hashable {
        /// One of `kinds`.
        let kind: String
        /// A recording's number, else the id that the device's outbox has for it.
        let id: String
        let name: String?
        let sha256: String?
        let bytes: Int64?
        /// Samples, bytes or events in a recording; nil for everything else.
        let count: Int64?
        /// One of `states`.
        let state: String
        /// Why it will not come; nil where it does, or nothing explains it.
        let why: String?
    }

    static let bodyLimit = 1 << 20
    static let kinds = ["recording", "submission", "memo", "file"]
    static let states = ["delivered", "waiting", "given up", "deleted"]
    private static let entriesInOne = 20_000

    let device: String
    let study: String
    let participant: String
    let enrolment: String?
    let day: String
    let part: Int64
    let parts: Int64
    let entries: [Entry]

    /// See `DeviceReport.source`.
    var source: String { FleetSource.id(study: study, device: device, enrolment: enrolment) }

    init(_ value: JSONValue) throws(FieldError) {
        let all = try CheckedFields(value)
        _ = try all.need("format", all.word("format", of: ["studyd-manifest"]), "studyd-manifest")
        _ = try all.need("version", all.whole("version", 1...1), "1")
        device = try all.needText("device")
        study = try all.needText("study")
        participant = try all.needText("participant")
        enrolment = try all.text("enrolment")
        let day = try all.needText("day")
        guard (try? LocalDate(parsing: day)) != nil else {
            throw FieldError("day", "a day such as 2026-11-25", .string(day))
        }
        self.day = day
        let parts = try all.whole("parts", 1...1000) ?? 1
        part = try all.whole("part", 1...parts) ?? 1
        self.parts = parts
        var entries: [Entry] = []
        for fields in try all.list("entries", limit: Self.entriesInOne) { entries.append(try Entry(fields)) }
        self.entries = entries
    }
}

extension DeviceManifest.Entry {
    fileprivate init(_ fields: CheckedFields) throws(FieldError) {
        kind = try fields.needWord("kind", of: DeviceManifest.kinds)
        id = try fields.needText("id")
        name = try fields.text("name", limit: 255)
        sha256 = try fields.digest("sha256")
        bytes = try fields.whole("bytes")
        count = try fields.whole("count")
        state = try fields.needWord("state", of: DeviceManifest.states)
        why = try fields.text("why")
    }
}
