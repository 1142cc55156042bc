// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import Study
import SystemKit

/// The enrolment, kept beside the store for the day on which that is lost with everything in it:
/// measuring then goes on for the same participant. Prompts do not: which of them were answered is
/// unknown. Blocks on the disk.
struct EnrolmentBackup: Sendable {
    private let path: String

    init(_ folder: StateFolder) { path = folder.enrolment }

    /// Of the state folder at that path, which need not be there.
    init(at folder: String) { path = StateFolder.enrolment(in: folder) }

    /// Keeps the present enrolment; nil = there is none. Failing to keep it is no reason to stop.
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
