// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Device
import Study
import SystemKit

extension StudyDatabase {
    /// The files that a log names, to check files against; throws where its chain is broken. A
    /// recording that the device has removed is not expected.
    package static func producedFiles(at path: String) throws -> [ProducedFile] {
        let connection = try Connection(.readOnly(path))
        if let fault = try ChainWalk.fault(in: connection) { throw FileError(path: path, message: "\(fault)") }
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
