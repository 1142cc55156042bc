// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Glibc
import SystemKit

/// Archives of SageResearch's studies, as devices posted them to the receiver: rows of its table `sage`, and
/// zips in its folder `sage`, some of them encrypted (CMS). Each is opened once. `LabFolder` calls `add` for
/// each participant.
final class LabArchives {
    private let archive: ReadOnlyDatabase
    private let directory: String
    private let keys: [CMSKey]
    private let study: String
    /// Tells the study of an archive, which names none itself.
    private let census: LabCensus
    /// By digest.
    private var loaded: [String: Content] = [:]
    /// Bytes; the receiver takes no larger one.
    private static let largest = 100_000_000

    /// What is in an archive, as far as it can be read.
    private struct Content {
        var submission: StudySubmission?
        /// Size and digest of the decrypted archive.
        var opened: (bytes: Int64, sha256: String)?
        /// The key that opened it.
        var key: CMSKey?
        var isEncrypted = false
        /// Why nothing can be read, or no answers; nil where nothing is wrong, or no key opens it.
        var fault: String?
    }

    private struct Row {
        let digest: String
        let bytes: Int64
        let received: Instant
    }

    init(_ archive: ReadOnlyDatabase, directory: String, keys: [CMSKey], study: String, census: LabCensus) {
        (self.archive, self.directory, self.keys) = (archive, directory, keys)
        (self.study, self.census) = (study, census)
    }

    /// Names of questions that answers came to.
    func items() throws -> [String] {
        let users = try archive.connection.rows("SELECT DISTINCT user FROM sage ORDER BY user") { try $0.string(0) }
        return try users.flatMap { user in
            try rows(of: user).filter { owner(of: $0, of: user) == study }
                .flatMap { content($0)?.submission?.answers.map(\.item) ?? [] }
        }.uniqued()
    }

    func add(to record: inout ParticipantRecord) throws {
        var runs: [String: String] = [:]
        for row in try rows(of: record.participant.id) {
            guard let owner = owner(of: row, of: record.participant.id) else {
                let state = "here, but of which study is unknown: manifests of none or of several name it"
                record.missing.append(item(row, row.digest + ".zip", state: state, why: nil))
                continue
            }
            guard owner == study else { continue }
            guard let content = content(row) else {
                record.missing.append(
                    item(row, row.digest + ".zip", state: "no longer in the lab's folder", why: nil))
                continue
            }
            record.files.append(file(row, content))
            if content.isEncrypted, content.opened == nil, content.fault == nil { note(encrypted: row, in: &record) }
            if let fault = content.fault {
                record.issues.append(.init(.unreadable, record.participant.id, "the archive \(row.digest) \(fault)"))
            }
            guard var submission = content.submission else { continue }
            // A run that was encrypted and sent twice has arrived as two different files.
            let run = submission.run ?? submission.id
            submission.repeats = runs[run]
            runs[run] = runs[run] ?? submission.id
            record.submissions.append(submission)
        }
    }

    /// Issues of archives without a known participant: those that came to a played Bridge server, which keeps no
    /// names, and those that were posted without a name.
    func unassigned() throws -> [DatasetIssue] {
        let nameless = try archive.connection.rows("SELECT digest FROM sage WHERE user = '' ORDER BY digest") {
            DatasetIssue(.strangeFile, "", "sage/\(try $0.string(0)) came from no participant; it is left out")
        }
        return nameless
            + FolderListing.readable(directory + "/bridge").map { name in
                DatasetIssue(
                    .strangeFile, "",
                    "bridge/\(name) came to a played Bridge server, of no known participant; it is left out")
            }
    }

    /// The study; nil where it may be of several.
    private func owner(of row: Row, of user: String) -> String? { census.study(ofArchive: row.digest, of: user) }

    private func rows(of user: String) throws -> [Row] {
        try archive.connection.rows(
            "SELECT digest, bytes, received FROM sage WHERE user = ? ORDER BY received, digest", user
        ) { Row(digest: try $0.string(0), bytes: try $0.int(1), received: Instant(milliseconds: try $0.int(2))) }
    }

    private func note(encrypted row: Row, in record: inout ParticipantRecord) {
        let name = row.digest + ".zip.cms"
        // A hole is what nothing explains, and makes the export fail: that no key was given is an explanation.
        let isHole = !keys.isEmpty
        record.missing.append(
            item(
                row, name, state: isHole ? "encrypted to another key than the given" : "encrypted",
                why: isHole ? nil : "--key FILE opens it with the key of the study's certificate", isHole: isHole))
        let text = "\(name) is encrypted: its answers are not in answers.csv"
        record.issues.append(.init(.encrypted, record.participant.id, text))
    }

    private func item(_ row: Row, _ name: String, state: String, why: String?, isHole: Bool = true) -> MissingItem {
        MissingItem(
            kind: .submission, enrolment: nil, day: nil, name: name, sha256: row.digest, bytes: row.bytes, state: state,
            why: why, isHole: isHole)
    }

    private func file(_ row: Row, _ content: Content) -> OtherFile {
        let isOpen = content.opened != nil
        var file = OtherFile(
            name: row.digest + (content.isEncrypted && !isOpen ? ".zip.cms" : ".zip"), kind: "archive",
            source: path(row, isEncrypted: content.isEncrypted), bytes: content.opened?.bytes ?? row.bytes,
            sha256: content.opened?.sha256 ?? row.digest)
        file.key = content.isEncrypted ? content.key : nil
        return file
    }

    // MARK: An archive

    private func path(_ row: Row, isEncrypted: Bool) -> String {
        "\(directory)/sage/\(row.digest).zip" + (isEncrypted ? ".cms" : "")
    }

    /// Nil where its file is gone, encrypted or not.
    private func content(_ row: Row) -> Content? {
        if let known = loaded[row.digest] { return known }
        guard let content = load(row) else { return nil }
        loaded[row.digest] = content
        return content
    }

    private func load(_ row: Row) -> Content? {
        var content = Content()
        content.isEncrypted = access(path(row, isEncrypted: false), F_OK) != 0
        let path = path(row, isEncrypted: content.isEncrypted)
        guard access(path, F_OK) == 0 else { return nil }
        let bytes: [UInt8]
        do { bytes = try BoundedFile.read(path, limit: Self.largest) } catch {
            content.fault = "cannot be read: \(error)"
            return content
        }
        guard (try? Digest(of: bytes).description) == row.digest else {
            content.fault = "is damaged: its SHA-256 is another than when it arrived"
            return content
        }
        guard content.isEncrypted else {
            read(bytes, row, &content)
            return content
        }
        for key in keys {
            guard let opened = key.open(bytes), let digest = try? Digest(of: opened).description else { continue }
            (content.key, content.opened) = (key, (Int64(opened.count), digest))
            read(opened, row, &content)
            break
        }
        return content
    }

    private func read(_ bytes: [UInt8], _ row: Row, _ content: inout Content) {
        guard let zip = ZipReader(bytes) else {
            content.fault = "is no zip that can be read"
            return
        }
        content.submission = SageResult.submission(in: zip, id: "sage-" + row.digest.prefix(16), received: row.received)
        if content.submission == nil { content.fault = "has no result that can be read: it is not in answers.csv" }
    }
}
