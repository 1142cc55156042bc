// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Device
import Glibc
import SystemKit

/// Fetches what is new in a bucket or on a stick, and stores it as a receiver stores what devices send, by the
/// same code: everything that reads a lab's folder reads this one. `study-receiver mirror` runs it, and
/// commands whose `--data` is a bucket or a stick (`BucketOptions`).
///
/// What was fetched is noted in `mirror.sqlite` of the folder; without it everything is fetched again.
struct Mirror {
    struct Outcome: Sendable, Hashable {
        var files = 0
        var bytes: Int64 = 0
        /// What is left out because its participant was erased.
        var erased = 0
        /// What could not be taken, in words; it is tried again the next time.
        var problems: [String] = []
        /// What was taken, and should be known, in words.
        var remarks: [String] = []
        /// How many remarks are left out of these.
        var omittedRemarks = 0
    }

    private let source: any MirrorSource
    /// Each fetches on a thread, so that several requests wait for the network at once.
    private let fetchers: [Fetcher]
    private let directory: String
    private let archive: Archive
    private let uploads: UploadFolder
    private let fleet: FleetArchive
    /// The keys that signatures are held against; nil for a folder that no device reports to.
    private let keys: DeviceKeys?
    /// Knows whom the lab has erased; nil where it has changed nothing yet.
    private let register: LabRegister?
    /// Keeps `study-receiver erase` and `backup` out.
    private let lock: FolderLock
    private let fetched: FetchedEntries
    private let queue = SerialQueue()
    private static let concurrency = 8
    private static let mostRemarks = 100
    /// After this many, all are flushed to the disk, and then noted.
    private static let flushedTogether = 512

    /// Bytes of one request to a bucket.
    private static let piece = 4 << 20
    /// Answers, manifests and segments of logs are read whole.
    private static let largestRecord = 16 << 20

    init(of source: any MirrorSource, into directory: String) throws {
        try File.makeFolder(directory)
        lock = try FolderLock(
            directory + "/mirror-lock", of: directory,
            taken: "a participant is being erased from it, or it is being backed up",
            remedy: "wait for that", isShared: true)
        try Restore.checkFinished(directory)
        self.source = source
        self.directory = directory
        fetchers = (0..<Self.concurrency).map { _ in Fetcher(source.separateConnection()) }
        archive = try Archive(.file(directory + "/receiver.sqlite"))
        fleet = try FleetArchive(.file(directory + "/fleet.sqlite"))
        let devices = directory + "/devices.sqlite"
        keys = access(devices, F_OK) == 0 ? try DeviceKeys(.file(devices)) : nil
        let changes = directory + "/lab.sqlite"
        register = access(changes, F_OK) == 0 ? try LabRegister(.file(changes)) : nil
        uploads = try UploadFolder(
            directory, archive, quota: Quota(archive: archive, directory: directory, perDevice: .max, free: 1 << 30),
            retention: .seconds(365 * 86_400), flushesLater: true)
        fetched = try FetchedEntries(.file(directory + "/mirror.sqlite"))
    }

    /// `progress` gets the share of the new bytes that has come, 0...1.
    func run(progress: @Sendable (Double) -> Void = { _ in }) async throws -> Outcome {
        try await archive.flushLater()
        try await fleet.flushLater()
        var (outcome, taken) = (Outcome(), [String]())
        let new = try await newEntries(&outcome)
        outcome.problems += try await queue.run { [source] in source.listingProblems() }
        do { try await take(new, &outcome, &taken, progress) } catch {
            try? await note(&taken)
            throw error
        }
        try await note(&taken)
        if outcome.omittedRemarks > 0 { outcome.remarks.append("and \(outcome.omittedRemarks) more without a SHA-256") }
        return outcome
    }

    /// Lists the source: the entries that were not fetched before, without those of erased participants.
    private func newEntries(_ outcome: inout Outcome) async throws -> [MirrorEntry] {
        var (new, token): ([MirrorEntry], String?) = ([], nil)
        var isEmpty = true
        repeat {
            let page = try await queue.run { [source, token] in try source.page(token) }
            isEmpty = isEmpty && page.entries.isEmpty
            for entry in page.entries {
                guard let participant = entry.place?.participant else { continue }
                guard !entry.isPathTraversal else {
                    outcome.problems.append("\(entry.key): '.' and '..' are no names of a study, person or file")
                    continue
                }
                // A stick has names percent-encoded.
                let names = [participant, PercentCode.decoded(participant, plusIsSpace: false) ?? participant]
                guard try await !isErased(names[0]), try await !isErased(names[1]) else {
                    outcome.erased += 1
                    continue
                }
                if try await !fetched.has(entry.id) { new.append(entry) }
            }
            token = page.next
        } while token != nil
        if isEmpty, let problem = source.problemIfEmpty { outcome.problems.append("\(source.name): \(problem)") }
        return new
    }

    private func take(
        _ new: [MirrorEntry], _ outcome: inout Outcome, _ taken: inout [String],
        _ progress: @Sendable (Double) -> Void
    ) async throws {
        let all = max(1, new.reduce(0) { $0 + $1.bytes })
        var done: Int64 = 0
        let coming = new.filter { $0.fileName.hasPrefix("log-") }.map(Self.logName)
        var logs = KeptSegments(in: directory + "/logs", without: Set(coming))
        for start in stride(from: 0, to: new.count, by: Self.concurrency) {
            let some = Array(new[start..<min(start + Self.concurrency, new.count)])
            for (entry, head) in zip(some, await fetchHeads(of: some)) {
                let id = try entry.id
                do {
                    try await take(entry, head.get(), id, &logs)
                    taken.append(id)
                    noteDigest(of: entry, try head.get(), &outcome)
                    outcome.files += 1
                    outcome.bytes += entry.bytes
                } catch is ErasedParticipant {
                    // Not fetched again.
                    taken.append(id)
                    outcome.erased += 1
                } catch let problem as MirrorProblem {
                    outcome.problems.append("\(entry.key): \(problem.words)")
                    // 507, a full disk, ends the run.
                } catch let failure as HTTPFailure where failure.status != 507 {
                    outcome.problems.append("\(entry.key): \(Self.words(failure))")
                }
                done += entry.bytes
                progress(Double(done) / Double(all))
            }
            if taken.count >= Self.flushedTogether { try await note(&taken) }
        }
    }

    /// Remarks on a file that nothing confirms; manifests and logs are signed.
    private func noteDigest(of entry: MirrorEntry, _ head: MirrorHead, _ outcome: inout Outcome) {
        let isSigned = ["manifest-", "log-"].contains { entry.fileName.hasPrefix($0) }
        guard source.hasDigests, !isSigned, head.labels["sha256"] == nil else { return }
        guard outcome.remarks.count < Self.mostRemarks else {
            outcome.omittedRemarks += 1
            return
        }
        outcome.remarks.append("\(entry.key): its metadata has no SHA-256, so that it was not checked")
    }

    /// `UploadFolder` words its failures for clients that send.
    private static func words(_ failure: HTTPFailure) -> String {
        failure.reason.replacing("the upload does", with: "it does")
            .replacing(UploadFolder.sendAgain, with: "; it is fetched again the next time")
    }

    /// Flushes what was stored and then notes it as fetched, so that after a power cut nothing is noted
    /// that was lost.
    private func note(_ taken: inout [String]) async throws {
        try await uploads.flush()
        try await archive.flush()
        try await fleet.flush()
        try await fetched.note(taken)
        taken = []
    }

    /// The labels and the first bytes of each entry, in the order of `entries`.
    private func fetchHeads(of entries: [MirrorEntry]) async -> [Result<MirrorHead, any Error>] {
        await withTaskGroup(of: (Int, Result<MirrorHead, any Error>).self) { group in
            for (number, (entry, fetcher)) in zip(entries, fetchers).enumerated() {
                group.addTask { (number, await fetcher.head(of: entry, count: Self.piece)) }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    private func isErased(_ participant: String) async throws -> Bool {
        try await register?.erasedAt(of: participant) != nil
    }

    /// Throws where an entry that is filed elsewhere is of a participant who was erased.
    private func checkNotErased(_ participant: String) async throws {
        if try await isErased(participant) { throw ErasedParticipant() }
    }

    /// Stores one entry, by the beginning of its name: answers, manifest, log, or any other file.
    private func take(_ entry: MirrorEntry, _ head: MirrorHead, _ id: String, _ logs: inout KeptSegments) async throws {
        let name = entry.fileName
        switch name.prefix(while: { $0 != "-" }) {
        case "answers": if try await takeAnswers(entry, head) { return }
        case "manifest" where name.hasSuffix(".json"): return try await takeManifest(entry, head)
        case "log" where name.hasSuffix(".jsonl.gz"): return try await takeLog(entry, head, &logs)
        default: break
        }
        try await takeFile(entry, head, id)
    }

    // MARK: - Files

    private func takeFile(_ entry: MirrorEntry, _ head: MirrorHead, _ id: String) async throws {
        let upload = try await findOrCreateUpload(entry, head.labels, id)
        guard upload.sha256 == nil else { return }
        var offset = upload.offset
        if offset < entry.bytes { try await uploads.begin(id, at: offset, checksum: nil, length: nil) }
        do {
            while offset < entry.bytes {
                let (start, source) = (offset, source)
                let bytes =
                    start == 0
                    ? head.bytes
                    : try await queue.run { try source.bytes(of: entry, from: start, count: Self.piece) }
                guard !bytes.isEmpty else { throw MirrorProblem(words: "became shorter while it was read") }
                try await uploads.append(id, bytes, now: entry.modified)
                offset += Int64(bytes.count)
            }
        } catch {
            _ = try? await uploads.end(id, isWhole: false, now: entry.modified)
            throw error
        }
        let end = upload.offset < entry.bytes ? try await uploads.end(id, isWhole: true, now: entry.modified) : upload
        // All bytes had come before, but a crash kept them from being checked: `checkedUpload` completes them.
        if end.sha256 == nil { _ = try await uploads.checkedUpload(id) }
    }

    /// The upload of that id from an earlier run, or a new one.
    private func findOrCreateUpload(_ entry: MirrorEntry, _ labels: [String: String], _ id: String) async throws
        -> Upload
    {
        if let upload = try await archive.upload(id) { return upload }
        let place = entry.place
        let name = entry.fileName
        var metadata = labels
        metadata["filename"] = name
        metadata["study"] = labels["study"] ?? place?.study
        metadata["participant"] = labels["participant"] ?? place?.participant
        metadata["enrolment"] = labels["enrolment"] ?? place?.enrolment
        if let number = RecordingName(name)?.number { metadata["recording"] = labels["recording"] ?? String(number) }
        try await checkNotErased(metadata["participant"] ?? "")
        let text = JSONValue.object(metadata.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) }).text
        let expected = labels["sha256"].flatMap { [UInt8](hexadecimal: $0) == nil ? nil : $0 }
        return try await uploads.create(
            Upload(
                id: id, user: String((metadata["participant"] ?? "").prefix(DeviceName.longest)),
                kind: labels["kind"] ?? labels["content_type"] ?? "", name: String(name.prefix(255)), metadata: text,
                length: entry.bytes, offset: 0, created: entry.modified, changed: entry.modified, expected: expected,
                mismatches: 0))
    }

    // MARK: - Answers, manifests and logs

    /// All bytes of a small entry; throws where they do not match its size or digest.
    private func readWhole(_ entry: MirrorEntry, _ head: MirrorHead) async throws -> [UInt8] {
        guard entry.bytes <= Self.largestRecord else { throw MirrorProblem(words: "is larger than 16 MiB") }
        let start = head.bytes.count
        let bytes =
            try await head.bytes
            + queue.run { [source] in
                try source.bytes(of: entry, from: Int64(start), count: Int(entry.bytes) - start)
            }
        let (digest, expected) = (try Digest(of: bytes).description, head.labels["sha256"])
        guard bytes.count == entry.bytes, expected == nil || expected == digest else {
            throw MirrorProblem(words: "has the SHA-256 \(digest) instead of that of its metadata")
        }
        return bytes
    }

    /// Posts of schema and momenTUM become records, as at the receiver; false for anything else, which is
    /// kept as a file.
    private func takeAnswers(_ entry: MirrorEntry, _ head: MirrorHead) async throws -> Bool {
        guard entry.bytes <= 1 << 20 else { return false }
        let bytes = try await readWhole(entry, head)
        let fields =
            (try? Form.fields(bytes, contentType: head.labels["content_type"]))
            ?? (try? Form.fields(bytes, contentType: Self.contentType(bytes)))
        guard let fields else { return false }
        let post = SchemaPost(fields)
        guard post.errors.isEmpty else { return false }
        try await checkNotErased(post["user_id"] ?? "")
        // It is already here where `mirror.sqlite` was lost, or a power cut came before it was written.
        if try await !archive.has(post, path: entry.fileName, at: entry.modified) {
            try await archive.store(post, path: entry.fileName, at: entry.modified)
        }
        try await fleet.notePosted(bytes)
        return true
    }

    /// Guessed from the first bytes, since a stick has no content types.
    private static func contentType(_ bytes: [UInt8]) -> String? {
        guard bytes.starts(with: Array("--".utf8)) else { return "application/x-www-form-urlencoded" }
        let line = bytes.prefix { $0 != 13 && $0 != 10 }.dropFirst(2)
        return "multipart/form-data; boundary=\"\(String(decoding: line, as: UTF8.self))\""
    }

    private func takeManifest(_ entry: MirrorEntry, _ head: MirrorHead) async throws {
        let bytes = try await readWhole(entry, head)
        let text = String(decoding: bytes, as: UTF8.self)
        let manifest: DeviceManifest
        do { manifest = try DeviceManifest(try JSONReader.value(text, depthLimit: 12)) } catch {
            throw MirrorProblem(words: "\(error)")
        }
        try await checkNotErased(manifest.participant)
        let others = try await fleet.manifestCount(of: manifest.source)
        do { try ManifestFolder(directory).keep(bytes, of: manifest, others: others) } catch let error as HTTPFailure {
            let forged = "its signature is not of these bytes: it was changed, or made by somebody else"
            throw MirrorProblem(words: error.status == 400 ? forged : error.reason)
        }
        // Which of its entries have arrived is looked up when somebody asks for what is missing (`FleetRoutes`).
        try await fleet.take(manifest, here: [], at: entry.modified)
    }

    private func takeLog(_ entry: MirrorEntry, _ head: MirrorHead, _ logs: inout KeptSegments) async throws {
        let (bytes, name) = (try await readWhole(entry, head), Self.logName(of: entry))
        let place = "\(directory)/logs/\(name)"
        // Written under another name first: one that is refused must not replace a good one.
        let unchecked = place + ".unchecked"
        defer { unlink(unchecked) }
        try File.makeFolder("\(directory)/logs")
        try File(unchecked, .replace).write(bytes, at: 0)
        let segment: LogSegmentFile
        do { segment = try LogSegmentFile(unchecked) } catch { throw MirrorProblem(words: error.reason) }
        try await checkNotErased(segment.participant)
        try await check(segment.key, of: segment.participant)
        let prompts = try outcomes(of: segment)
        guard rename(unchecked, place) == 0 else { throw FileError.last("rename", place) }
        logs.insert(name)
        try await take(prompts, of: segment)
        guard !prompts.isEmpty || !segment.returned.isEmpty else { return }
        // One that could not be fetched before comes after later ones: what these say stands.
        for kept in logs.after(name) {
            guard let later = try? LogSegmentFile("\(directory)/logs/\(kept)"), later.log == segment.log,
                later.numbers.upperBound > segment.numbers.upperBound
            else { continue }
            try await take(outcomes(of: later), of: later)
        }
    }

    private func take(_ prompts: [PromptOutcome], of segment: LogSegmentFile) async throws {
        let end = segment.rows.last.map { Instant(nanoseconds: $0.wall) } ?? .distantFuture
        try await fleet.take(
            prompts, returned: segment.returned, end: end, study: segment.study, participant: segment.participant,
            enrolment: segment.enrolment)
    }

    private func outcomes(of segment: LogSegmentFile) throws -> [PromptOutcome] {
        try (segment.prompts.array ?? []).map { value in
            do { return try PromptOutcome(CheckedFields(value)) } catch { throw MirrorProblem(words: "\(error)") }
        }
    }

    /// Throws where keys of the participant are known and it was signed by another. A revoked key counts, as in a
    /// dataset: what it signed before is still its device's. So does what a device wrote before it had a key.
    private func check(_ key: String?, of participant: String) async throws {
        guard let key else { return }
        let theirs = try await keys?.rows(of: participant).filter { $0.state != .waiting && !$0.key.isEmpty } ?? []
        guard !theirs.isEmpty, !theirs.contains(where: { $0.key == key }) else { return }
        throw MirrorProblem(words: "is signed by a key that the receiver does not know as theirs")
    }

    /// The name in `logs` of a segment.
    private static func logName(of entry: MirrorEntry) -> String {
        UploadFolder.safe("\(entry.place?.enrolment ?? "")-\(entry.fileName)")
    }
}

private struct ErasedParticipant: Error {}

/// A thread that fetches, with its own connection.
private struct Fetcher: Sendable {
    private let source: any MirrorSource
    private let queue = SerialQueue()

    init(_ source: any MirrorSource) { self.source = source }

    func head(of entry: MirrorEntry, count: Int) async -> Result<MirrorHead, any Error> {
        do { return .success(try await queue.run { try source.head(of: entry, count: count) }) } catch {
            return .failure(error)
        }
    }
}
