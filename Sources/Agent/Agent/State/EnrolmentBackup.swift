// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import Study
import SystemKit

/// A copy of the enrolment beside the store: if the store is lost, measuring continues for the same
/// participant. Prompts do not continue, since it is unknown which were answered. `StudyLoop` writes it; the start of
/// the agent, `StatusReader` and takeovers read it. Blocks on the disk.
struct EnrolmentBackup: Sendable {
    private let path: String

    init(_ folder: StateFolder) { path = folder.enrolment }

    /// Of the state folder at that path, which need not be there.
    init(at folder: String) { path = StateFolder.enrolment(in: folder) }

    /// Writes the copy; nil deletes it. Errors are ignored: the agent can run without a copy.
    func keep(_ record: EnrolmentRecord?) {
        guard let record else {
            unlink(path)
            return
        }
        guard let bytes = try? Array(JSONEncoder().encode(record)), (try? BoundedFile.read(path)) != bytes else {
            return
        }
        try? AtomicFile.write(bytes, to: path)
    }

    /// nil where none is kept, or it cannot be read.
    func read() -> EnrolmentRecord? {
        (try? BoundedFile.read(path)).flatMap { try? JSONDecoder().decode(EnrolmentRecord.self, from: Data($0)) }
    }
}
