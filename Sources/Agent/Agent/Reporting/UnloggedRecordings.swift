// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// Recordings on the disk that the log does not know yet: open ones, and those that were sealed (finished) a moment
/// ago. `ReportService` and `DayRecordService` wait for them before they close a day.
struct UnloggedRecordings: Sendable {
    private struct Owner: Hashable, Sendable {
        let study: String
        let participant: String
    }

    private let folder: String
    private let database: StudyDatabase

    init(in folder: String, _ database: StudyDatabase) { (self.folder, self.database) = (folder, database) }

    /// Which of these enrolments have some. A file names study and participant alone, so that a participant
    /// who begins again has some under both enrolments.
    func owners(among enrolments: [EnrolmentState]) async throws -> Set<String> {
        guard !enrolments.isEmpty else { return [] }
        // Files are listed before the log is read: a recording that gets its row in between is known.
        let names = try await onThread("studyd-report") { [folder] in
            FolderListing.readable(folder).filter { $0.hasSuffix(".open") || $0.hasSuffix(".json") }
        }
        let known = try await database.recordingNumbers()
        let found = try await onThread("studyd-report") { [folder] in
            Set(names.compactMap { Self.owner(of: $0, in: folder, besides: known) })
        }
        let records = enrolments.map(\.record)
        return Set(
            records.filter { found.contains(Owner(study: $0.studyID, participant: $0.participant)) }.map(\.id))
    }

    private static func owner(of name: String, in folder: String, besides known: Set<Int>) -> Owner? {
        guard let number = RecordingName(name)?.number, !known.contains(number),
            let bytes = try? BoundedFile.read("\(folder)/\(name)"),
            let description = try? RecordingDescription(json: bytes, path: name),
            let participant = description.participant
        else { return nil }
        return Owner(study: description.study, participant: participant)
    }
}
