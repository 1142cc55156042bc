// SPDX-License-Identifier: Apache-2.0
import Base
import Dataset
import SystemKit

/// What has arrived as JSON, for scripts, and the files themselves.
struct DataRoutes: Sendable {
    let archive: Archive
    let folder: UploadFolder
    /// Also knows how the prompts of each device went.
    let heads: LogHeads
    let blinding: LabBlinding
    let clock: any StudyClock

    private static let recordLimit = 1000
    private static let largestDescription = 4 << 20

    func addRoutes(to router: inout Router, _ guarded: Guarded) {
        func on(_ path: String, _ handler: @escaping Router.Handler) {
            router.on("GET", path, handler: guarded(handler))
        }
        on("/api/devices") { _ in
            var devices: [JSONValue] = []
            let all = try await archive.devices(limit: 10 * Self.recordLimit)
            let ruled = try await blinding.ruled(Set(all.map(\.user)))
            for device in all {
                devices.append(
                    Self.json(
                        device, isBlinded: ruled.contains(device.user),
                        try await archive.coverage(of: device.user, at: clock.now),
                        try await heads.compliance(of: device.user)))
            }
            return .json(.array(devices))
        }
        on("/api/records", records)
        on("/api/refusals") { request in
            let user = request.queryItem("user")
            return .json(.array(try await archive.refusals(user: user, limit: Self.recordLimit).map(Self.json)))
        }
        on("/api/files") { request in
            let user = request.queryItem("user")
            return .json(.array(try await archive.uploads(user: user, limit: Self.recordLimit).map(Self.json)))
        }
        on("/files/:id/content", content)
    }

    /// `user`, `limit` (at most 1000) and `before` (an id, for the next page), newest first; fewer
    /// than asked for where they are long, or some are hidden.
    private func records(_ request: HTTPRequest) async throws -> HTTPResponse {
        let limit = request.queryItem("limit").map(Int.init) ?? Self.recordLimit
        let before = request.queryItem("before").map { Int64($0) } ?? .max
        guard let limit, var before, limit > 0 else { throw HTTPFailure(400, "limit and before must be whole numbers") }
        var (count, shown): (Int, [StoredRecord]) = (min(limit, Self.recordLimit), [])
        // A page without any record is the last one, so it must not come of all of them being hidden.
        while shown.isEmpty {
            let records = try await archive.records(
                user: request.queryItem("user"), before: before, limit: count, characters: 8 << 20)
            guard let last = records.last else { break }
            shown = try await blinding.shown(records)
            (before, count) = (last.id, Self.recordLimit)
        }
        return .json(.array(shown.prefix(limit).map(Self.json)))
    }

    /// A complete upload by its number, as shown on the page and in `/api/files`.
    private func content(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let number = Int64(request.parameters["id"] ?? ""), let upload = try await archive.upload(number: number),
            let path = await folder.path(upload)
        else { throw HTTPFailure(404, "no complete file with that number") }
        guard !(upload.name.hasPrefix("log-") && upload.name.hasSuffix(".jsonl.gz")) else {
            throw HTTPFailure(
                403, "a device's log says what was drawn; it is in the dataset of study-receiver export --unblind")
        }
        guard try await !tellsOfRules(upload, path) else {
            throw HTTPFailure(
                403, "it tells of a task that rules raise; it is in the dataset of study-receiver export --unblind")
        }
        return HTTPResponse(
            200,
            fields: [
                // Never a type that a browser would run.
                "Content-Type": "application/octet-stream", "X-Content-Type-Options": "nosniff",
                "Content-Disposition": "attachment; filename=\"\(UploadFolder.safe(upload.name))\"",
            ], content: .file(path: path))
    }

    /// In a study with rules, a copy of answers, or the description of what was recorded for a task of these rules.
    private func tellsOfRules(_ upload: Upload, _ path: String) async throws -> Bool {
        let holdsAnswers = upload.kind == "archive" || upload.name.hasPrefix("answers-")
        guard holdsAnswers || upload.name.hasSuffix(".json") else { return false }
        let tasks = try await blinding.tasks(of: upload.user)
        guard !tasks.isEmpty else { return false }
        guard !holdsAnswers, let bytes = try? BoundedFile.read(path, limit: Self.largestDescription) else {
            return true
        }
        let description = try? JSONReader.value(String(decoding: bytes, as: UTF8.self))
        return description?["task"]?["task"]?.string.map { tasks.contains($0) } ?? false
    }

    private static func json(
        _ device: DeviceSummary, isBlinded: Bool, _ coverage: Coverage?, _ compliance: ComplianceDays?
    ) -> JSONValue {
        .members([
            "user": .string(device.user), "lastContact": .string(device.lastContact.rfc3339()),
            "answers": .int(isBlinded ? nil : device.answers), "logs": .int(isBlinded ? nil : device.logs),
            "duplicates": .int(device.duplicates),
            "recordsWithWarnings": .int(device.warned), "files": .int(device.files),
            "partialFiles": .int(device.partial), "bytes": .int(device.bytes), "coverage": coverage?.json ?? .null,
            "compliance": .array(
                (compliance?.days ?? []).map { day in
                    .members([
                        "day": .string(day.date.description), "due": .int(day.due), "answered": .int(day.answered),
                        "late": .int(day.late), "missed": .int(day.missed),
                    ])
                }),
        ])
    }

    private static func json(_ record: StoredRecord) -> JSONValue {
        .members([
            "id": .int(record.id), "received": .string(record.received.rfc3339()), "path": .string(record.path),
            "kind": .text(record.post.kind?.rawValue), "duplicateOf": .int(record.duplicateOf),
            "latencySeconds": .int(record.latency?.components.seconds),
            "warnings": .array(record.warnings.map(JSONValue.string)),
            "fields": .object(record.post.fields.map { .init(name: $0.name, value: .string($0.value)) }),
        ])
    }

    private static func json(_ refusal: RefusedPost) -> JSONValue {
        .members([
            "id": .int(refusal.id), "received": .string(refusal.received.rfc3339()), "path": .string(refusal.path),
            "user": .text(refusal.user), "reasons": .string(refusal.reasons),
        ])
    }

    private static func json(_ upload: Upload) -> JSONValue {
        let metadata = (try? JSONReader.value(upload.metadata)) ?? .null
        let restored = ZstandardUpload(metadata)
        return .members([
            "number": .int(upload.number), "user": .string(upload.user), "kind": .string(upload.kind),
            "name": .string(upload.name), "length": .int(upload.length), "offset": .int(upload.offset),
            "complete": .boolean(upload.sha256 != nil), "created": .string(upload.created.rfc3339()),
            "changed": .string(upload.changed.rfc3339()),
            // Of what is kept; what came compressed has another digest.
            "announcedSHA256": .text(restored?.sha256 ?? upload.expected),
            "sentSHA256": .text(restored == nil ? nil : upload.expected),
            "sha256": .text(upload.sha256), "sameAs": .int(upload.sameAs), "mismatches": .int(upload.mismatches),
            "metadata": metadata,
        ])
    }
}
