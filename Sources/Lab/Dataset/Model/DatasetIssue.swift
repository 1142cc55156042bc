// SPDX-License-Identifier: Apache-2.0

/// Something about the data that an analyst has to know and would not see. Readers of the data add them;
/// `study-receiver export` prints them and writes them into the dataset (`issues.csv`, of BIDS `left_out.tsv`).
package struct DatasetIssue: Sendable, Hashable, Comparable, CustomStringConvertible {
    package enum Kind: String, Sendable {
        case participantOnTwoDevices = "participant-on-two-devices"
        case deviceOfTwoParticipants = "device-of-two-participants"
        case clockUnknown = "clock-unknown"
        case clockSetBack = "clock-set-back"
        case clockAhead = "clock-ahead"
        case noDescription = "no-description"
        case strangeFile = "strange-file"
        case unfinishedUpload = "unfinished-upload"
        case unreadable, repeated, encrypted
        case otherStudy = "other-study"
        case noCodebook = "no-codebook"
        case noReports = "no-reports"
        case notEnded = "not-ended"
        /// The format has no place for it.
        case leftOut = "left-out"
    }

    package let kind: Kind
    /// Empty where the issue concerns no single participant.
    package let participant: String
    package let text: String

    package init(_ kind: Kind, _ participant: String, _ text: String) {
        (self.kind, self.participant, self.text) = (kind, participant, text)
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.participant, left.kind.rawValue, left.text) < (right.participant, right.kind.rawValue, right.text)
    }

    package var description: String {
        participant.isEmpty ? "\(kind.rawValue): \(text)" : "\(participant): \(kind.rawValue): \(text)"
    }
}
