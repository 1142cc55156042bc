// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// A part of a device's event log as it lies in a bucket or on a stick (docs/delivery.md, The log's segments),
/// read and checked by itself: its signature, its digest, and every link of its chain. A row's seal is the hash
/// of its salt and body; the chain runs over the seals, so that a body can be withheld. The lab's mirror and
/// exports read it, and `studyd recordings verify`.
package struct LogSegmentFile: Sendable {
    package struct Row: Sendable {
        package let number: Int64
        package let enrolment: String
        /// Nanoseconds since 1970 in UTC.
        package let wall: Int64
        /// Nanoseconds of CLOCK_MONOTONIC of that boot.
        package let monotonic: Int64
        package let boot: String
        /// Seconds of the wall clock east of UTC.
        package let offset: Int
        package let kind: String
        /// Nil for a row that was sent without its body, as its seal alone, and where the body is no JSON.
        package let body: JSONText?
        /// The hash of the chain up to this row, in hexadecimal.
        package let hash: String
    }

    /// Which log it is part of: the hash of that log's first row, in hexadecimal.
    package let log: String
    package let numbers: ClosedRange<Int64>
    /// Hashes of the row before the first, and of the last, in hexadecimal.
    package let previous: String
    package let hash: String
    package let study: String
    package let participant: String
    package let enrolment: String
    /// Of the device, 64 hexadecimal digits; nil where it signed nothing.
    package let key: String?
    /// How prompts ended, as a report has them.
    package let prompts: JSONText
    /// The enrolment's rules, and its seed once it is over; nil without rules.
    package let trial: JSONText?
    package let rows: [Row]

    /// Bytes of a segment when unpacked.
    private static let limit = 64 << 20

    /// What was produced in the rows of segments of one log: recordings that were sealed, and the files
    /// that were queued to be sent, descriptions among them. What a later segment removes is not expected.
    package static func produced(by segments: [LogSegmentFile]) -> [ProducedFile] {
        let rows = segments.flatMap(\.rows)
        let removed = Set(
            rows.compactMap { row in
                row.kind == "recordingRemoved" && row.body?["reason"]?.string != "retention"
                    ? row.body?["recording"]?.string : nil
            })
        return rows.compactMap { row in
            let file = row.kind == "queued" ? row.body?["item"]?["file"] : row.body?["recording"]
            guard let name = file?["path"]?.string, let sha256 = file?["sha256"]?.string else { return nil }
            let number = file?["id"]?.string ?? file?["recording"]?.string
            return ProducedFile(name: name, sha256: sha256, isExpected: !removed.contains(number ?? ""))
        }
    }

    /// The occurrences that a wrong clock brought, and whose outcomes in this and earlier segments are void.
    package var returned: [String] {
        rows.flatMap { row -> [String] in
            guard row.kind == "occurrencesReturned", case .array(let ids)? = row.body?["occurrences"] else { return [] }
            return ids.compactMap(\.string)
        }
    }

    /// The same rows of the same log.
    package func isCopy(of other: LogSegmentFile) -> Bool {
        (log, numbers.lowerBound, hash) == (other.log, other.numbers.lowerBound, other.hash)
    }

    package init(_ path: String) throws(FileError) {
        try self.init(try GzipFile.contents(File(path, .read), limit: Self.limit), of: path)
    }

    package init(_ content: [UInt8], of path: String) throws(FileError) {
        func fault(_ problem: String) -> FileError { .format(path: path, problem: problem) }
        guard let end = content.firstIndex(of: 0x0A),
            let text = String(validating: content[..<end], as: UTF8.self), let head = JSONText(parsing: text),
            head["format"]?.string == "studyd-log", head["version"]?.plain == "1"
        else { throw fault("is no segment of a log") }
        switch SignedJSON.verdict(text) {
        case .signed(let key): self.key = key
        case .unsigned: key = nil
        case .broken: throw fault("its signature is not of these rows: it was changed, or made by somebody else")
        }
        // The head, the signed first line, names the digest of all lines after it and both ends of the chain.
        let rest = content[(end + 1)...]
        guard let first = head["first"].flatMap({ Int64($0.plain) }), first > 0,
            let last = head["last"].flatMap({ Int64($0.plain) }), (first..<Int64.max).contains(last),
            let log = head["log"]?.string, let previous = head["previous"]?.string, let hash = head["hash"]?.string,
            let sha256 = head["sha256"]?.string
        else { throw fault("its head lacks something") }
        guard try FileDigest.sha256(Array(rest)) == sha256 else {
            throw fault("its rows are not those that were signed")
        }
        (self.log, self.previous, self.hash, numbers) = (log, previous, hash, first...last)
        study = head["study"]?.string ?? ""
        participant = head["participant"]?.string ?? ""
        enrolment = head["enrolment"]?.string ?? ""
        let lines = rest.split(separator: 0x0A)
        // Before the rows comes a line about the whole segment.
        let summary = lines.first.flatMap { JSONText(parsing: String(decoding: $0, as: UTF8.self)) }
        (prompts, trial) = (summary?["prompts"] ?? .array([]), summary?["trial"])
        let (rows, lastHash) = try Self.rows(lines.dropFirst(), after: previous, fault)
        // Rows between them may be missing, which damage of the device's store has taken.
        guard rows.first?.number == first, rows.last?.number == last,
            zip(rows, rows.dropFirst()).allSatisfy({ $0.number < $1.number })
        else { throw fault("its rows are not those from \(first) to \(last), as its head says") }
        guard lastHash == hash else { throw fault("its last row is not the one that was signed") }
        self.rows = rows
    }

    /// The rows of these lines, and the hash of the last; throws for one that does not follow from the one before.
    private static func rows(
        _ lines: ArraySlice<ArraySlice<UInt8>>, after previous: String, _ fault: (String) -> FileError
    ) throws(FileError) -> (rows: [Row], lastHash: String) {
        var (chain, rows) = (Chain(hash: [UInt8](hexadecimal: previous) ?? []), [Row]())
        for line in lines {
            guard let row = JSONText(parsing: String(decoding: line, as: UTF8.self)) else {
                throw fault("a row is no JSON")
            }
            guard try chain.advance(to: row) else { throw fault("row \(row["row"]?.plain ?? "") breaks the chain") }
            rows.append(Row(row, hash: chain.hash.hexadecimal))
        }
        return (rows, chain.hash.hexadecimal)
    }

    /// The hash of a row covers that of the row before it, and the row's fields as netstrings.
    private struct Chain {
        var hash: [UInt8]

        /// Makes `hash` that of the row; false where the row lacks something. After rows that were lost with a
        /// part of the store a row names the hash before it.
        mutating func advance(to row: JSONText) throws(FileError) -> Bool {
            if let previous = row["previous"]?.string.flatMap({ [UInt8](hexadecimal: $0) }) { hash = previous }
            var seal = row["seal"]?.string
            if let body = row["body"]?.string, let salt = row["salt"]?.string.flatMap({ [UInt8](hexadecimal: $0) }) {
                seal = try FileDigest.sha256(salt + Array(body.utf8))
            }
            guard let seal, let kind = row["kind"]?.string else { return false }
            let numbers = ["row", "wall", "monotonic", "offset"].map { row[$0]?.plain ?? "" }
            let fields = [
                numbers[0], row["enrolment"]?.string ?? "", numbers[1], numbers[2], row["boot"]?.string ?? "",
                numbers[3], kind, seal,
            ]
            hash = try FileDigest.bytes(hash + Array(fields.map { "\($0.utf8.count):\($0)," }.joined().utf8))
            return true
        }
    }
}

extension LogSegmentFile.Row {
    fileprivate init(_ row: JSONText, hash: String) {
        self.hash = hash
        func whole(_ name: String) -> Int64 { row[name].flatMap { Int64($0.plain) } ?? 0 }
        (number, enrolment, boot) = (whole("row"), row["enrolment"]?.string ?? "", row["boot"]?.string ?? "")
        (wall, monotonic, offset) = (whole("wall"), whole("monotonic"), Int(whole("offset")))
        (kind, body) = (row["kind"]?.string ?? "", row["body"]?.string.flatMap { JSONText(parsing: $0) })
    }
}

extension JSONText {
    fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }
    /// A number as it is spelled.
    fileprivate var plain: String { if case .spelled(let text) = self { text } else { "" } }
}
