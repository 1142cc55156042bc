// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// A tus 1.0.0 server at `/files`: core, creation, termination, checksum and expiration
/// (https://tus.io/protocols/resumable-upload).
///
/// Metadata that is understood: `filename`, `sha256`, `user_id` or `participant`, `kind`, and of
/// what comes compressed `content_encoding` (`zstd`), `content_filename`, `content_sha256`,
/// `content_length`: it is checked as sent, restored, and checked again. A finished upload is
/// confirmed by `Upload-SHA256`, a field of this server alone: the digest of what lies on its disk.
struct TusRoutes: Sendable {
    let archive: Archive
    let folder: UploadFolder
    let faults: Faults
    let clock: any StudyClock
    /// Gives ids that cannot be guessed.
    let newID: @Sendable () -> String
    let quota: Quota
    let gate: DeviceGate

    /// Unfinished uploads of one device; those with the fewest bytes make room.
    static let unfinished = 100

    static let version = "1.0.0"

    func addRoutes(to router: inout Router) {
        for path in ["/files", "/files/:id"] { router.on("OPTIONS", path) { _ in Self.capabilities() } }
        router.on("POST", "/files", bodyLimit: 0, handler: faults.around(versioned(create)))
        router.on("HEAD", "/files/:id", handler: faults.around(versioned(head)))
        router.on(
            "PATCH", "/files/:id", bodyLimit: Int(UploadFolder.sizeLimit), handler: faults.around(versioned(patch)))
        router.on("DELETE", "/files/:id", handler: faults.around(versioned(delete)))
    }

    private static func capabilities() -> HTTPResponse {
        HTTPResponse(
            204,
            fields: [
                "Tus-Resumable": version, "Tus-Version": version, "Tus-Max-Size": String(UploadFolder.sizeLimit),
                "Tus-Extension": "creation,termination,checksum,expiration",
                "Tus-Checksum-Algorithm": DigestStream.Algorithm.allCases.map(\.rawValue).joined(separator: ","),
            ])
    }

    /// Checks the protocol's version and names it in every answer, refusals included.
    private func versioned(_ handler: @escaping Router.Handler) -> Router.Handler {
        { request in
            guard request.fields["tus-resumable"] == Self.version else {
                throw HTTPFailure(
                    412, "Tus-Resumable has to be \(Self.version)",
                    fields: ["Tus-Version": Self.version, "Tus-Resumable": Self.version])
            }
            do {
                var response = try await handler(request)
                response.fields["Tus-Resumable"] = Self.version
                return response
            } catch let failure as HTTPFailure {
                var refusal = failure
                refusal.fields["Tus-Resumable"] = Self.version
                throw refusal
            } catch let error as FileError {
                throw HTTPFailure(
                    507, "\(error.path): \(error.explanation.cause)", fields: ["Tus-Resumable": Self.version])
            }
        }
    }

    private func create(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let length = request.fields["upload-length"].flatMap(Self.size) else {
            throw HTTPFailure(400, "Upload-Length has to be a number of bytes; a deferred length is not supported")
        }
        guard length <= UploadFolder.sizeLimit else {
            throw HTTPFailure(
                413, "more than \(UploadFolder.sizeLimit) bytes",
                fields: ["Tus-Max-Size": String(UploadFolder.sizeLimit)])
        }
        guard let metadata = TusMetadata(request.fields["upload-metadata"]), metadata.sha256 != "" else {
            throw HTTPFailure(
                400, "Upload-Metadata is not `name base64,name base64`, or its sha256 is not 64 hexadecimal digits")
        }
        let now = clock.now
        let restored = ZstandardUpload(metadata.json)
        let user = metadata.first("user_id", "participant") ?? ""
        guard user.count <= DeviceName.longest else { throw HTTPFailure(400, DeviceName.refusal("user_id")) }
        try await gate.admit(request, for: user)
        // What cannot fit is not begun. Bytes are charged to the quota as they come, not when they are announced.
        try await quota.admitFile(length + (restored?.length ?? 0), of: user)
        let type = restored == nil ? nil : metadata.first("content_type")
        let upload = Upload(
            id: newID(), user: user,
            kind: String((metadata.first("kind") ?? type ?? metadata.first("filetype") ?? "").prefix(100)),
            name: String((restored?.name ?? metadata.first("filename", "name") ?? "").prefix(255)),
            metadata: metadata.json.text, length: length, offset: 0, created: now, changed: now,
            expected: metadata.sha256, mismatches: 0)
        try await folder.sweep(now: now)
        let created = try await folder.create(upload)
        try await folder.removeSurplus(of: user, beyond: Self.unfinished, besides: created.id)
        var response = HTTPResponse(201, fields: state(created))
        response.fields["Location"] = "/files/\(created.id)"
        return response
    }

    /// Admits a request about an upload only in the name in which the upload was begun.
    private func admit(_ request: HTTPRequest) async throws {
        try gate.checkSignatureIsThere(request)
        // An unknown id is let through: the next step answers 404.
        guard let upload = try await archive.upload(request.parameters["id"] ?? "") else { return }
        try await gate.admit(request, for: upload.user)
    }

    private func head(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await admit(request)
        let upload = try await folder.checkedUpload(request.parameters["id"] ?? "")
        var response = HTTPResponse(200, fields: state(upload))
        response.fields["Upload-Length"] = String(upload.length)
        response.fields["Cache-Control"] = "no-store"
        return response
    }

    private func patch(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard request.fields["content-type"] == "application/offset+octet-stream" else {
            throw HTTPFailure(415, "Content-Type has to be application/offset+octet-stream")
        }
        guard let offset = request.fields["upload-offset"].flatMap(Self.size) else {
            throw HTTPFailure(400, "Upload-Offset has to be a number of bytes")
        }
        try await admit(request)
        let id = request.parameters["id"] ?? ""
        try await folder.begin(
            id, at: offset, checksum: try Self.checksum(request.fields["upload-checksum"]),
            length: request.body.announcedLength)
        do {
            for try await piece in request.body { try await folder.append(id, piece, now: clock.now) }
        } catch {
            _ = try? await folder.end(id, isWhole: false, now: clock.now)
            throw error
        }
        return HTTPResponse(204, fields: state(try await folder.end(id, isWhole: true, now: clock.now)))
    }

    private func delete(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await admit(request)
        try await folder.remove(request.parameters["id"] ?? "")
        return HTTPResponse(204)
    }

    /// How far an upload is; one that is not whole says until when it is kept (tus, expiration
    /// extension).
    private func state(_ upload: Upload) -> HTTPFields {
        var fields: HTTPFields = ["Upload-Offset": String(upload.offset)]
        if let sum = upload.sha256 {
            fields["Upload-SHA256"] = sum
        } else {
            fields["Upload-Expires"] = HTTPDate.text(upload.changed + folder.retention)
        }
        return fields
    }

    private static func size(_ text: String) -> Int64? {
        text.allSatisfy { $0.isASCII && $0.isNumber } ? Int64(text) : nil
    }

    private static func checksum(_ header: String?) throws(HTTPFailure) -> UploadFolder.Checksum? {
        guard let header else { return nil }
        let parts = header.split(separator: " ")
        guard parts.count == 2, let algorithm = DigestStream.Algorithm(rawValue: String(parts[0])),
            let digest = Base64.decoded(parts[1])
        else { throw HTTPFailure(400, "Upload-Checksum has to be sha1 or sha256, a space and base 64") }
        return UploadFolder.Checksum(algorithm: algorithm, digest: digest)
    }
}
