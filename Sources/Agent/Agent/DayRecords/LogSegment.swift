// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Device
import Study
import SystemKit

/// Consecutive rows of the event log as a file, for readers without the device: the chain of hashes can be followed
/// from the segment before, and a device with a key has signed where it ends. `DayRecordMaker` makes it;
/// `study-receiver mirror` and `export` read it (`LogSegmentFile`).
///
/// It ends where the next enrolment begins, so that all of it is one participant's.
///
/// A gzip file of lines of JSON: a head (`SignedJSON`), a line with the outcomes of the prompts that
/// ended in these rows, as a report has them, and a line for each row. The head has the SHA-256 of all
/// that follows it. Of a row that may say who somebody is or what they answered only a digest is given, its
/// "seal": the chain can be checked with it. Answers are sent by themselves, to destinations whose `takes` has them.
/// The seed of draws is in none of the lines before the enrolment is over.
struct LogSegment {
    /// In one segment.
    static let mostRows = 2000

    /// The row that begins an enrolment.
    private static let beginning = "enrolled"

    let rows: ClosedRange<Int64>
    private let name: String
    private let previous: [UInt8]
    private let hash: [UInt8]
    private let lines: [String]

    /// The rows after that one; nil where there is none.
    init?(after row: Int64, in log: EventLog) throws {
        let read = try log.rows(after: row, atMost: Self.mostRows)
        // The first row may itself begin an enrolment.
        let stored = read.prefix(1) + read.dropFirst().prefix { $0.kind != Self.beginning }
        guard let first = stored.first, let last = stored.last, let name = try log.head()?.log else { return nil }
        (self.name, rows) = (name, first.sequence...last.sequence)
        (previous, hash) = (first.previous, last.hash)
        var expected = first.previous
        lines = try stored.map { row in
            defer { expected = row.hash }
            return try row.line(isOpen: Self.openKinds.contains(row.kind), follows: expected)
        }
    }

    /// Kinds of rows that are given in full: what happened to prompts, recordings, deliveries and the
    /// clock, and what is lost.
    private static let openKinds: Set<String> = [
        "agentStarted", "agentStopped", "salvaged", "promptsSwitched", "withdrawn", "erased", "handedOver", "prompted",
        "presented", "promptPutOff", "runOpened", "runLeft", "concluded", "occurrencesReturned", "anchored",
        "zoneChanged", "clockStepped", "decided", "raised", "outcomeMeasured", "measuringStarted", "measuringStopped",
        "samplesCounted", "sensorsPaused",
        "sensorsResumed", "gap", "recordingSealed", "recordingRemoved", "queued", "uploadDelivered", "itemDropped",
        "itemDeleted", "itemRequeued", "headTold", "headConfirmed",
    ]

    /// The file. `prompts` and `trial` (`DayRecordMaker.trial`) are the second line; `trial` is nil without rules.
    /// Unsigned where `key` is nil.
    func encoded(
        of record: EnrolmentRecord, prompts: [JSONText], trial: JSONText?, signedBy key: Ed25519.PrivateKey?
    ) throws -> [UInt8] {
        let summary = JSONText.object(["prompts": .array(prompts), "trial": trial]).text
        let content = ([summary] + lines).joined(separator: "\n") + "\n"
        let head = JSONText.object([
            .init("format", .string("studyd-log")), .init("version", .integer(1)), .init("log", .string(name)),
            .init("study", .string(record.studyID.bounded)), .init("participant", .string(record.participant.bounded)),
            .init("enrolment", .string(record.id)), .init("first", .integer(rows.lowerBound)),
            .init("last", .integer(rows.upperBound)), .init("previous", .string(previous.hexadecimal)),
            .init("hash", .string(hash.hexadecimal)), .init("sha256", .string(try Digest(ofText: content).description)),
        ]).text
        let signed = try key.map { try SignedJSON.signed(head, by: $0) } ?? head
        return try GzipFile.compressed(Array("\(signed)\n\(content)".utf8))
    }
}
