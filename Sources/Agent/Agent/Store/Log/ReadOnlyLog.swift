// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Device
import Study
import SystemKit

/// The log in a file that is only read: a closed one, a copy, or the one of a device. For `studyd verify-log`,
/// `studyd recordings verify` and takeovers (`TakeoverPlaces`). Blocks on the disk.
package struct ReadOnlyLog {
    private let path: String
    private let connection: Connection

    package init(_ path: String) throws {
        self.path = path
        connection = try Connection(.readOnly(path))
    }

    /// Walks the hash chain. Returns the first row that does not fit, nil when all do.
    package func verify() throws -> ChainFault? { try ChainWalk.fault(in: connection) }

    /// Every damage that the log tells of, oldest first.
    package func salvages() throws -> [SalvageRecord] { try EventLog.salvages(connection) }

    package func confirmedRows() throws -> ConfirmedRows {
        try ConfirmedRows(connection, log: EventLog.name(connection))
    }

    /// The latest enrolment, and whether it was left; nil before the first. By the log alone: what follows from it
    /// may be behind, or of another version.
    func latestEnrolment() throws -> (record: EnrolmentRecord, hasLeft: Bool)? {
        guard try connection.hasTable("event") else { return nil }
        let newest = "SELECT body FROM event WHERE kind = 'enrolled' ORDER BY sequence DESC LIMIT 1"
        let event = try connection.first(newest) { try StudyEvent(kind: "enrolled", body: try $0.string(0)) }
        guard case .enrolled(let record)? = event else { return nil }
        let left = "SELECT 1 FROM event WHERE kind = 'withdrawn' AND enrolment = ? LIMIT 1"
        return (record, try connection.hasRow(left, record.id))
    }

    /// The files that the log names, to check files against; throws where its chain is broken. A
    /// recording that the device has removed is not expected.
    package func producedFiles() throws -> [ProducedFile] {
        if let fault = try verify() { throw FileError(path: path, message: "\(fault)") }
        var (files, removed): ([(file: ProducedFile, recording: String?)], Set<String>) = ([], [])
        try connection.forEach(
            """
            SELECT kind, body FROM event WHERE kind IN ('recordingSealed', 'queued', 'recordingRemoved')
            AND body NOT LIKE '{"erased":%' ORDER BY sequence
            """
        ) { row in
            switch try StudyEvent(kind: row.string(0), body: row.string(1)) {
            case .recordingSealed(let record):
                files.append((ProducedFile(name: record.path, sha256: record.sha256), record.id))
            case .queued(let item):
                guard let file = item.file else { return }
                files.append((ProducedFile(name: file.path, sha256: file.sha256), file.recording))
            case .recordingRemoved(let recording, _): removed.insert(recording)
            default: break
            }
        }
        return files.map { file, recording in
            // Files that are no recordings are not expected either.
            let isThere = recording.map { !removed.contains($0) } ?? false
            return ProducedFile(name: file.name, sha256: file.sha256, isExpected: isThere)
        }
    }
}
