// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// The uploads' bytes on the disk: `partial/<id>` while they come, `files/<number>-<name>` once
/// they are complete.
///
/// Bytes count as arrived only once they are synchronised and the archive says so; what a crash left beyond
/// that is cut off, so that a client resumes exactly where the bytes are certain. After `create`, each request
/// (`TusRoutes`) or fetch (`Mirror`) calls `begin`, then `append` for each piece, then `end`.
actor UploadFolder {
    /// Bytes of one upload, at most.
    static let sizeLimit: Int64 = 4 * 1024 * 1024 * 1024
    /// An upload to which a request is writing.
    private final class Writing {
        let file: File
        let checksum: (hash: DigestStream, expected: [UInt8])?
        var upload: Upload
        var position: Int64
        /// The quota has admitted bytes up to this position.
        var admitted: Int64

        init(_ upload: Upload, _ file: File, _ checksum: (hash: DigestStream, expected: [UInt8])?) {
            self.upload = upload
            self.file = file
            self.checksum = checksum
            position = upload.offset
            admitted = upload.offset
        }
    }

    /// A checksum of one request's bytes as its header says.
    struct Checksum: Sendable {
        let algorithm: DigestStream.Algorithm
        let digest: [UInt8]
    }

    private static let syncInterval: Int64 = 4 * 1024 * 1024
    private static let largestDescription = 4 << 20
    /// The quota is asked again after this many bytes.
    private static let quotaInterval: Int64 = 1024 * 1024

    private let archive: Archive
    private let quota: Quota
    /// Bytes count as arrived before they are on the disk, which `flush` waits for.
    private let flushesLater: Bool
    private let directory: String
    private var writing: [String: Writing] = [:]
    /// Ids of uploads that a call works on while it waits for the archive; other calls for them get 423.
    private var claimed: Set<String> = []

    /// Sums and restores whole files, which takes a minute for the largest, one after the other.
    private let queue = SerialQueue()
    /// How long an unfinished upload is kept after its last bytes came.
    let retention: Duration
    private var lastSweep: Instant?

    /// Makes the folders in `directory` where they are missing.
    init(
        _ directory: String, _ archive: Archive, quota: Quota, retention: Duration, flushesLater: Bool = false
    ) throws {
        self.directory = directory
        self.flushesLater = flushesLater
        self.archive = archive
        self.quota = quota
        self.retention = retention
        for name in ["partial", "files"] { try File.makeFolder("\(directory)/\(name)") }
    }

    /// Begins an upload; an empty one is complete at once.
    func create(_ upload: Upload) async throws -> Upload {
        _ = try File(partial(upload.id), .updateOrCreate)
        let created = try await archive.create(upload)
        return created.length == 0 ? try await complete(created) : created
    }

    /// Opens an upload for the bytes of one request. Throws 404, 409 when `offset` is not its end,
    /// 423 when another request is writing.
    func begin(_ id: String, at offset: Int64, checksum: Checksum?, length: Int?) async throws {
        guard writing[id] == nil, claimed.insert(id).inserted else {
            throw HTTPFailure(423, "another request is writing this upload; wait for it to finish")
        }
        defer { claimed.remove(id) }
        guard let upload = try await archive.upload(id) else { throw HTTPFailure(404, "no such upload") }
        guard upload.sha256 == nil else { throw HTTPFailure(403, "the upload is complete") }
        guard upload.offset == offset else {
            throw HTTPFailure(
                409, "the upload is at offset \(upload.offset), not \(offset)",
                fields: ["Upload-Offset": String(upload.offset)])
        }
        if let length, Int64(length) > upload.length - offset { throw Self.tooLong(upload) }
        let file = try File(partial(id), .updateOrCreate)
        try file.truncate(to: Int(offset))
        let hashing = try checksum.map { (hash: try DigestStream($0.algorithm), expected: $0.digest) }
        writing[id] = Writing(upload, file, hashing)
    }

    /// Takes in bytes; throws 413 past the announced length, and 507 where the device's quota is used up.
    func append(_ id: String, _ bytes: [UInt8], now: Instant) async throws {
        guard let current = writing[id] else { throw HTTPFailure(409, "the upload was not created") }
        guard current.position + Int64(bytes.count) <= current.upload.length else { throw Self.tooLong(current.upload) }
        let position = current.position + Int64(bytes.count)
        if position > current.admitted {
            let ahead = min(current.upload.length, position + Self.quotaInterval)
            try await quota.admitFile(ahead - current.upload.offset, of: current.upload.user)
            current.admitted = ahead
        }
        try current.file.write(bytes, at: Int(current.position))
        try current.checksum?.hash.update(bytes)
        current.position = position
        if current.checksum == nil, current.position - current.upload.offset >= Self.syncInterval {
            try await commit(current, now: now)
        }
    }

    /// Ends a request; the last one completes the upload. What came of a request that broke off is kept,
    /// unless it had a checksum, which then cannot be checked.
    func end(_ id: String, isWhole: Bool, now: Instant) async throws -> Upload {
        guard let current = writing[id] else { throw HTTPFailure(409, "the upload was not created") }
        defer { writing[id] = nil }
        if let checksum = current.checksum {
            guard isWhole, try checksum.hash.finish() == checksum.expected else {
                try current.file.truncate(to: Int(current.upload.offset))
                throw HTTPFailure(460, "the checksum does not match; nothing from this request was stored")
            }
        }
        if current.position > current.upload.offset { try await commit(current, now: now) }
        guard current.upload.offset == current.upload.length else { return current.upload }
        return try await complete(current.upload)
    }

    /// How far an upload is. One that has all its bytes but was not completed, because the server ended in
    /// between, is checked and completed now; throws 423 while another request does that.
    func checkedUpload(_ id: String) async throws -> Upload {
        guard let upload = try await archive.upload(id) else { throw HTTPFailure(404, "no such upload") }
        guard upload.sha256 == nil, upload.offset == upload.length else { return upload }
        guard writing[id] == nil, claimed.insert(id).inserted else {
            throw HTTPFailure(423, "the upload is being verified; try again", fields: ["Retry-After": "5"])
        }
        defer { claimed.remove(id) }
        guard let again = try await archive.upload(id) else { throw HTTPFailure(404, "no such upload") }
        return again.sha256 == nil ? try await complete(again) : again
    }

    /// Removes uploads that were not continued for longer than they are kept; looks once a minute
    /// at most.
    func sweep(now: Instant) async throws {
        if let lastSweep, now - lastSweep < .seconds(60), now >= lastSweep { return }
        lastSweep = now
        for upload in try await archive.abandoned(before: now - retention) { _ = try? await remove(upload.id) }
    }

    /// Removes unfinished uploads of a device beyond that number: those of which fewest bytes came,
    /// the oldest of these first, but not `id`.
    func removeSurplus(of user: String, beyond kept: Int, besides id: String) async throws {
        for upload in try await archive.surplus(user: user, kept: kept, besides: id) {
            _ = try? await remove(upload.id)
        }
    }

    func remove(_ id: String) async throws {
        guard writing[id] == nil, claimed.insert(id).inserted else {
            throw HTTPFailure(423, "a request is writing this upload")
        }
        defer { claimed.remove(id) }
        guard let upload = try await archive.upload(id) else { throw HTTPFailure(404, "no such upload") }
        guard upload.sha256 == nil else { throw HTTPFailure(403, "a complete upload cannot be deleted") }
        try await archive.delete(id)
        FolderRemoval.remove(partial(id))
    }

    /// Returns when everything is on the disk.
    func flush() async throws { try await queue.run { [directory] in try AtomicFile.syncAll(of: directory) } }

    /// Where the bytes of a complete upload lie.
    func path(_ upload: Upload) -> String? { upload.file.map { "\(directory)/files/\($0)" } }

    private func partial(_ id: String) -> String { "\(directory)/partial/\(id)" }
    /// Unique, since no other upload has this number.
    private static func fileName(_ upload: Upload) -> String { "\(upload.number)-\(safe(upload.name))" }
    private func named(_ upload: Upload) -> String { "\(directory)/files/\(Self.fileName(upload))" }

    /// Where its bytes may lie, also after a crash; paths in the folder.
    static func places(of upload: Upload) -> [String] {
        let begun = ["partial/\(upload.id)", "files/\(fileName(upload))"]
        return begun + begun.map { $0 + ".restored" } + (upload.file.map { ["files/\($0)"] } ?? [])
    }

    private static func tooLong(_ upload: Upload) -> HTTPFailure {
        HTTPFailure(413, "more bytes than the announced \(upload.length)")
    }

    private func commit(_ current: Writing, now: Instant) async throws {
        if !flushesLater { try current.file.sync() }
        var upload = current.upload
        (upload.offset, upload.space, upload.changed) = (current.position, current.position, now)
        try await archive.update(upload)
        current.upload = upload
    }

    /// Checks all bytes, restores what was compressed, and moves the file to its final name.
    private func complete(_ upload: Upload) async throws -> Upload {
        var upload = upload
        let (content, sum) = try await checked(&upload)
        if let earlier = try await archive.complete(sha256: sum, name: upload.name), let place = path(earlier) {
            upload.sameAs = earlier.number
            upload.file = earlier.file
            upload.space = 0
            // Where the earlier one is gone, these are its bytes.
            if access(place, F_OK) != 0 { try AtomicFile.rename(content, to: place, isSynced: !flushesLater) }
        } else {
            upload.file = Self.fileName(upload)
            try AtomicFile.rename(content, to: named(upload), isSynced: !flushesLater)
        }
        upload.sha256 = sum
        let description = descriptionBytes(upload)
        try await archive.complete(
            upload, of: DeviceEnrolment(upload), isDescription: description != nil,
            description.flatMap(RecordedSpan.init))
        for left in [content, partial(upload.id)] where left != path(upload) { FolderRemoval.remove(left) }
        return upload
    }

    /// The file of the whole, restored where it was compressed, and its SHA-256, which is
    /// the announced one.
    private func checked(_ upload: inout Upload) async throws -> (file: String, sum: String) {
        // It already has its final name where the archive failed after the file was moved.
        let (begun, named) = (partial(upload.id), named(upload))
        let path = access(begun, F_OK) != 0 && access(named, F_OK) == 0 ? named : begun
        // It is also gone where it became an earlier upload's file, and the archive failed after that.
        guard access(path, F_OK) == 0 || errno != ENOENT else {
            throw try await startAgain(upload, "its bytes are gone")
        }
        let sum = try await queue.run { try Digest(ofFile: path).description }
        guard upload.expected == nil || upload.expected == sum else {
            throw try await startAgain(upload, "its SHA-256 is \(sum)")
        }
        upload.space = upload.length
        guard let compressed = ZstandardUpload(try? JSONReader.value(upload.metadata)) else { return (path, sum) }
        // Both lie here while one becomes the other.
        try await quota.admitFile(compressed.length, of: upload.user)
        let restored = path + ".restored"
        upload.space = compressed.length
        guard try await queue.run({ try compressed.restore(path, to: restored) }) else {
            FolderRemoval.remove(restored)
            throw try await startAgain(upload, "it does not become the announced \(compressed.sha256)")
        }
        return (restored, compressed.sha256)
    }

    /// The upload's bytes where it may describe a recording that no other upload describes.
    private func descriptionBytes(_ upload: Upload) -> [UInt8]? {
        guard upload.user != "", upload.name.hasSuffix(".json"), upload.kind != "hello", upload.sameAs == nil,
            upload.length < Self.largestDescription, let path = path(upload)
        else { return nil }
        return try? BoundedFile.read(path, limit: Self.largestDescription)
    }

    /// The remedy in failures, which `Mirror` replaces by its own.
    static let sendAgain = "; send it again from 0"

    /// Sets an upload back to its beginning because, as a whole, it is not what was announced, and counts
    /// that. Returns the failure to throw, which asks for its bytes again.
    private func startAgain(_ upload: Upload, _ problem: String) async throws -> HTTPFailure {
        guard var upload = try await archive.upload(upload.id) else { throw HTTPFailure(404, "no such upload") }
        (upload.offset, upload.space) = (0, 0)
        upload.mismatches += 1
        try await archive.update(upload)
        return HTTPFailure(
            460, "the upload does not match its metadata (\(problem))\(Self.sendAgain)",
            fields: ["Upload-Offset": "0"])
    }

    /// The name as one plain file name, without anything special to a path, a shell or a terminal.
    static func safe(_ name: String) -> String {
        let kept = name.unicodeScalars.map { scalar -> Character in
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
            return isPlain || "._-".unicodeScalars.contains(scalar) ? Character(scalar) : "_"
        }
        let text = String(String(kept.suffix(100)).drop { $0 == "." })
        return text.isEmpty ? "unnamed" : text
    }
}
