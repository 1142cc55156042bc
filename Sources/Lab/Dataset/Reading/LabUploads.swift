// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Device
import SystemKit

/// Files that came to a lab: recordings with their descriptions, and all others. `LabFolder` calls `add` for each
/// participant.
struct LabUploads {
    private let archive: ReadOnlyDatabase
    private let directory: String
    private let study: String
    /// The folder holds one study: an upload that names none belongs to it.
    private let isOnlyStudy: Bool
    private static let largestDescription = 4 << 20

    init(_ archive: ReadOnlyDatabase, directory: String, study: String, isOnlyStudy: Bool) {
        (self.archive, self.directory, self.study, self.isOnlyStudy) = (archive, directory, study, isOnlyStudy)
    }

    func add(to record: inout ParticipantRecord) throws {
        var seen: Set<[String]> = []
        var files: [Upload] = []
        for upload in try uploads(of: record.participant.id) {
            guard let sha256 = upload.sha256 else {
                let item = upload.unfinished
                record.missing.append(item)
                record.issues.append(
                    .init(.unfinishedUpload, record.participant.id, "of \(item.name) \(item.state)"))
                continue
            }
            // A device uploads a file again when the server's response was lost.
            if seen.insert([upload.enrolment ?? "", upload.name, sha256]).inserted { files.append(upload) }
        }
        addFiles(files, to: &record)
        record.recordings.sort { ($0.enrolment ?? "", $0.name, $0.sha256) < ($1.enrolment ?? "", $1.name, $1.sha256) }
    }

    /// Numbers of the devices that recorded for a participant; reads each enrolment's first
    /// description.
    func devices(of participant: Participant) throws -> Set<UInt32> {
        var (devices, seen): (Set<UInt32>, Set<String>) = ([], [])
        for upload in try uploads(of: participant.id) where upload.isDescription {
            guard seen.insert(upload.enrolment ?? "").inserted else { continue }
            if let description = description(upload) { devices.insert(description.deviceNumber) }
        }
        return devices
    }

    /// An issue for each complete file of no participant, and for each file in the folder that was not uploaded.
    func unassigned() throws -> [DatasetIssue] {
        let nameless = try archive.connection.rows(
            "SELECT name, file FROM upload WHERE user = '' AND sha256 IS NOT NULL ORDER BY number LIMIT 1000"
        ) { row in
            DatasetIssue(
                .strangeFile, "",
                "\(try row.string(0)) came from no participant; it is \(try row.stringOrNil(1) ?? "gone")")
        }
        let known = Set(
            try archive.connection.rows("SELECT file FROM upload WHERE file IS NOT NULL") { try $0.string(0) })
        let unknown = FolderListing.readable(directory + "/files").filter { !known.contains($0) }
        return try nameless + ofNoStudy()
            + unknown.map {
                DatasetIssue(.strangeFile, "", "files/\($0) is in the folder and was not uploaded; it is left out")
            }
    }

    /// Files that name no study, where the folder holds several: they are in no dataset.
    private func ofNoStudy() throws -> [DatasetIssue] {
        guard !isOnlyStudy else { return [] }
        let found = try archive.connection.rows(
            """
            SELECT user, count(*), min(name) FROM upload WHERE sha256 IS NOT NULL AND user <> ''
            AND coalesce(json_extract(metadata, '$.study'), '') = '' GROUP BY user ORDER BY user LIMIT 1000
            """
        ) { (user: try $0.string(0), count: Int(try $0.int(1)), name: try $0.string(2)) }
        return found.map { row in
            let files = row.count == 1 ? row.name : "\(row.count) files, \(row.name) among them,"
            return DatasetIssue(
                .strangeFile, row.user, "\(files) came without the name of a study, of which there are several here")
        }
    }

    private func uploads(of user: String) throws -> [Upload] {
        try archive.connection.rows(
            """
            SELECT number, name, kind, metadata, length, offset, sha256, file, id, created
            FROM upload WHERE user = ? ORDER BY number
            """, user, read: Upload.init
        ).filter { $0.study == study || ($0.study == nil && isOnlyStudy) }
    }

    /// An uploaded description, and what it says; `text` is nil where it cannot be read.
    private typealias Described = (upload: Upload, text: RecordingDescription?)

    /// Adds recordings with their descriptions, and all else as other files. Two recordings may have one
    /// name: a description belongs to the one with its SHA-256, and only where none has it to one of its name.
    private func addFiles(_ uploads: [Upload], to record: inout ParticipantRecord) {
        var descriptions: [[String]: Described] = [:]
        for upload in uploads where upload.isDescription {
            let text = description(upload)
            descriptions[upload.key + [text?.sha256 ?? ""]] = (upload, text)
        }
        // First those with a recording's SHA-256; `left` are the others, by name.
        var own: [Int64: Described] = [:]
        for upload in uploads where upload.isRecording {
            own[upload.number] = descriptions.removeValue(forKey: upload.key + [upload.sha256 ?? ""])
        }
        var left = Dictionary(
            grouping: descriptions.values.sorted { $0.upload.number < $1.upload.number }, by: \.upload.key)
        for upload in uploads where !upload.isDescription {
            guard upload.isRecording else {
                if upload.isStrange {
                    let text = "\(upload.name) is no recording, and not of a kind that studyd sends"
                    record.issues.append(.init(.strangeFile, record.participant.id, text))
                }
                record.files.append(other(upload))
                continue
            }
            add(upload, own[upload.number] ?? left[upload.key]?.popLast(), to: &record)
        }
        for rest in left.values.joined().sorted(by: { $0.upload.number < $1.upload.number }) {
            noteDescription(withoutRecording: rest, in: &record)
        }
    }

    private func add(_ upload: Upload, _ described: Described?, to record: inout ParticipantRecord) {
        let (text, description) = (described?.upload, described?.text)
        record.recordings.append(
            StudyRecording(
                enrolment: upload.enrolment, name: upload.name, source: path(upload), bytes: upload.bytes,
                sha256: upload.sha256 ?? "", description: description, descriptionSource: text.map(path),
                received: upload.received))
        guard let description else { return noteRecording(withoutDescription: upload, text, in: &record) }
        if !description.sha256.isEmpty, description.sha256 != upload.sha256 {
            let problem = "\(upload.name) is not the file that its description is of (another SHA-256)"
            record.issues.append(.init(.unreadable, record.participant.id, problem))
        }
        if let named = description.participant, named != record.participant.id {
            let problem = "\(upload.name) came as \(record.participant.id)'s; its description says \(named)"
            record.issues.append(.init(.deviceOfTwoParticipants, record.participant.id, problem))
        }
    }

    /// Notes a recording whose description is not here, or cannot be read: then `text` is its upload.
    private func noteRecording(withoutDescription upload: Upload, _ text: Upload?, in record: inout ParticipantRecord) {
        let problem = text == nil ? "came without its description" : "has a description that cannot be read"
        record.issues.append(.init(.noDescription, record.participant.id, "\(upload.name) \(problem)"))
        record.missing.append(
            MissingItem(
                kind: .description, enrolment: upload.enrolment, day: nil, name: upload.base + ".json",
                state: text == nil ? "not here" : "cannot be read", why: nil, isHole: true))
    }

    /// Notes a description of a recording that is not here.
    private func noteDescription(withoutRecording described: Described, in record: inout ParticipantRecord) {
        record.files.append(other(described.upload))
        guard let description = described.text else { return }
        record.missing.append(
            MissingItem(
                kind: .recording, enrolment: described.upload.enrolment, day: StudyTime(description.startDate)?.day,
                name: description.relativePath, sha256: description.sha256.isEmpty ? nil : description.sha256,
                bytes: Int64(description.bytes), state: "only its description is here", why: nil, isHole: true))
    }

    private func other(_ upload: Upload) -> OtherFile {
        OtherFile(
            name: upload.name, kind: upload.kind, source: path(upload), bytes: upload.bytes,
            sha256: upload.sha256 ?? "")
    }

    private func path(_ upload: Upload) -> String { "\(directory)/files/\(upload.file ?? "")" }

    /// Nil where it cannot be read, or is not what arrived: all times of its recording follow from it.
    private func description(_ upload: Upload) -> RecordingDescription? {
        let path = path(upload)
        guard let bytes = try? BoundedFile.read(path, limit: Self.largestDescription),
            (try? Digest(of: bytes).description) == upload.sha256
        else { return nil }
        return try? RecordingDescription(json: bytes, path: path)
    }
}

/// A row of the lab's table of uploads.
private struct Upload {
    let number: Int64
    let name: String
    let kind: String
    /// The size of the stored file. `length` is that of the upload, which may have been compressed.
    let bytes: Int64
    let length: Int64
    let offset: Int64
    let sha256: String?
    let file: String?
    let study: String?
    let enrolment: String?
    /// Nil of what came from a bucket or a stick: its times are theirs, and its id is a SHA-256.
    let received: Instant?
    private let hasNumber: Bool

    init(_ row: Row) throws {
        (number, name, kind) = (try row.int(0), try row.string(1), try row.string(2))
        let metadata = JSONText(parsing: try row.string(3))
        func text(_ name: String) -> String? { metadata?[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }
        (study, enrolment) = (text("study"), text("enrolment"))
        hasNumber = text("recording") != nil
        (length, offset) = (try row.int(4), try row.int(5))
        (sha256, file) = (try row.stringOrNil(6), try row.stringOrNil(7))
        received = try row.string(8).utf8.count == 64 ? nil : Instant(milliseconds: row.int(9))
        let isRestored = text("content_encoding") == "zstd"
        bytes = isRestored ? text("content_length").flatMap(Int64.init) ?? length : length
    }

    /// `000001-accelerometer`, of both a recording and its description.
    var base: String { String(name.prefix { $0 != "." }) }
    var key: [String] { [enrolment ?? "", base] }
    private var isNumbered: Bool {
        let digits = base.prefix { $0.isASCII && $0.isNumber }
        return digits.count >= 6 && base.dropFirst(digits.count).first == "-"
    }
    var isDescription: Bool { isNumbered && name.hasSuffix(".json") && sha256 != nil }
    var isRecording: Bool { isNumbered && !name.hasSuffix(".json") }
    /// Everything that studyd sends names its recording or its enrolment.
    var isStrange: Bool { !hasNumber && enrolment == nil }

    var unfinished: MissingItem {
        MissingItem(
            kind: .upload, enrolment: enrolment, day: nil, name: name, bytes: length,
            state: "\(offset) of \(length) bytes have come", why: nil, isHole: false)
    }
}
