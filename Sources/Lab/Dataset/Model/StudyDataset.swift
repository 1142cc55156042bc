// SPDX-License-Identifier: Apache-2.0
import Base

/// What a lab's folder (`LabFolder`), or a device's (`DeviceFolder`), holds of one study, as the exports read
/// it. One participant at a time is in memory.
package protocol StudyDataset {
    var study: String { get }
    var codebook: Codebook { get }
    /// Sorted by code; with those of whom only a report has come.
    var participants: [Participant] { get }
    /// Codes of all who take part, also of those who are not in this dataset: in the order in which
    /// they were enrolled, so that one who comes later changes nothing.
    var everyone: [String] { get }
    /// The latest moment at which something arrived: it takes the place of "now", so that the same
    /// folder gives the same dataset each time.
    var latest: Instant { get }
    /// Issues beside those of a participant's record.
    var issues: [DatasetIssue] { get }
    /// Names of the questions that answers came to, in the order of the study, then by name.
    func items() throws -> [String]
    /// Everything of one participant. Reads the folder.
    func record(of participant: Participant) throws -> ParticipantRecord
    /// What rules decided; nil where no log with decisions is here, or the study has no rules.
    func trial() throws -> StudyTrial?
    /// The same dataset for callers that read no samples: its recordings stay encrypted (`OpenedDataset`); all
    /// other datasets return themselves.
    var unopened: any StudyDataset { get }
}

/// A changed view of another dataset, `whole`, such as `BlindedDataset`: members that it does not implement
/// itself are those of `whole`.
package protocol DerivedDataset: StudyDataset {
    var whole: any StudyDataset { get }
}

extension DerivedDataset {
    package var study: String { whole.study }
    package var codebook: Codebook { whole.codebook }
    package var participants: [Participant] { whole.participants }
    package var everyone: [String] { whole.everyone }
    package var latest: Instant { whole.latest }
    package var issues: [DatasetIssue] { whole.issues }
    package func items() throws -> [String] { try whole.items() }
    package func trial() throws -> StudyTrial? { try whole.trial() }
}

extension StudyDataset {
    package var unopened: any StudyDataset { self }
    package var everyone: [String] {
        func began(_ participant: Participant) -> Int64 {
            participant.enrolments.compactMap(\.began).min()?.instant.nanoseconds ?? .max
        }
        return participants.sorted { (began($0), $0.id) < (began($1), $1.id) }.map(\.id)
    }
    package func trial() throws -> StudyTrial? { nil }

    /// Calls `body` for each participant in turn, by name.
    package func forEachRecord(_ body: (ParticipantRecord) throws -> Void) throws {
        for participant in participants { try body(try record(of: participant)) }
    }
}
