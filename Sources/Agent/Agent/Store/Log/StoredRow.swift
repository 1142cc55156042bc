// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study
import SystemKit

/// One row of the log's table: makes new ones with their hashes, checks and decodes stored ones, and replaces
/// the body of erased ones. For `EventLog`, the projections and `Salvage`.
struct StoredRow {
    let sequence: Int64
    let stamp: EventStamp
    let kind: String
    private let body: String
    let previous: [UInt8]
    let hash: [UInt8]
    /// Nil in a row that was erased.
    let salt: [UInt8]?

    init(
        sequence: Int64, stamp: EventStamp, kind: String, body: String, salt: [UInt8], previous: [UInt8]
    ) throws {
        self.sequence = sequence
        self.stamp = stamp
        self.kind = kind
        self.body = body
        self.salt = salt
        self.previous = previous
        hash = try Self.hash(sequence, stamp, kind, Self.bodyDigest(salt, body), previous)
    }

    /// A row with the columns of `EventLog.columns`.
    init(_ row: Row) throws {
        sequence = try row.int(0)
        stamp = EventStamp(
            wall: try row.instant(2), monotonic: MonotonicTime(nanoseconds: try row.int(3)),
            bootID: try row.string(4), zoneOffset: Int(try row.int(5)), enrolment: try row.string(1))
        kind = try row.string(6)
        body = try row.string(7)
        previous = try row.bytes(8)
        hash = try row.bytes(9)
        salt = try row.bytesOrNil(10)
    }

    private static let head = "{\"erased\":\""
    private static let tail = "\"}"

    static func erased(_ bodyDigest: String) -> String { head + bodyDigest + tail }

    /// The body's digest, which replaces the body in an erased row; nil where the body is there.
    private var digestInPlace: String? {
        guard salt == nil, body.hasPrefix(Self.head), body.hasSuffix(Self.tail) else { return nil }
        return String(body.dropFirst(Self.head.count).dropLast(Self.tail.count))
    }

    var isErased: Bool { digestInPlace != nil }

    /// The digest of salt and body; nil in an erased row, which has no salt.
    func bodyDigest() throws -> String? { try salt.map { try Self.bodyDigest($0, body) } }

    private static func bodyDigest(_ salt: [UInt8], _ body: String) throws -> String {
        try Digest(of: salt + Array(body.utf8)).description
    }

    /// The row as a line of a log segment for the lab; without `isOpen` its digest ("seal") replaces the body.
    /// `expected` is the hash of the line before: the row's previous hash is only written where it is another.
    func line(isOpen: Bool, follows expected: [UInt8]) throws -> String {
        var members: [JSONText.Member] = [
            .init("row", .integer(sequence)), .init("enrolment", .string(stamp.enrolment)),
            .init("wall", .integer(stamp.wall.nanoseconds)), .init("monotonic", .integer(stamp.monotonic.nanoseconds)),
            .init("boot", .string(stamp.bootID)), .init("offset", .integer(Int64(stamp.zoneOffset))),
            .init("kind", .string(kind)),
        ]
        if let salt, isOpen {
            members += [.init("salt", .string(salt.hexadecimal)), .init("body", .string(body))]
        } else {
            members.append(.init("seal", .string(try digestInPlace ?? bodyDigest() ?? "")))
        }
        if previous != expected { members.append(.init("previous", .string(previous.hexadecimal))) }
        return JSONText.object(members).text
    }

    /// The body is encrypted, to whichever key.
    var isEncrypted: Bool { EncryptedBody.isEncrypted(body) }

    /// The run that an encrypted row belongs to; nil where it belongs to none.
    var run: (task: String, opening: Int)? { EncryptedBody.run(of: body) }

    /// The event; nil where the row was erased, or is encrypted to a key that is not here.
    func logged(opening encryption: BodyEncryption?) throws -> LoggedEvent? {
        guard !isErased, let body = EncryptedBody.opened(body, by: encryption) else { return nil }
        do {
            return LoggedEvent(sequence: sequence, stamp: stamp, event: try StudyEvent(kind: kind, body: body))
        } catch { throw StoreError.unreadableEvent(sequence, kind) }
    }

    /// True where a row says by itself that it is whole: its hash is that of its content and of the
    /// hash it says it follows. `row` has the columns of `EventLog.columns`.
    static func isWhole(_ row: Row) -> Bool {
        do {
            let stored = try StoredRow(row)
            return try stored.fault(after: stored.previous, expecting: stored.sequence) == nil
        } catch { return false }
    }

    /// What is wrong with the row as the one with number `expected` after the hash `previous`; nil = nothing.
    func fault(after previous: [UInt8], expecting expected: Int64) throws -> ChainFault? {
        guard sequence == expected else {
            return ChainFault(sequence: expected, problem: "is missing, \(sequence) follows")
        }
        guard self.previous == previous else {
            return ChainFault(sequence: sequence, problem: "does not follow the row before it")
        }
        guard let digest = try digestInPlace ?? bodyDigest(), !digest.isEmpty else {
            return ChainFault(sequence: sequence, problem: "has lost its seal")
        }
        guard try Self.hash(sequence, stamp, kind, digest, previous) == hash else {
            return ChainFault(sequence: sequence, problem: "its content does not match its hash")
        }
        return nil
    }

    private static func hash(
        _ sequence: Int64, _ stamp: EventStamp, _ kind: String, _ bodyDigest: String, _ previous: [UInt8]
    ) throws -> [UInt8] {
        let fields = [
            String(sequence), stamp.enrolment, String(stamp.wall.nanoseconds), String(stamp.monotonic.nanoseconds),
            stamp.bootID, String(stamp.zoneOffset), kind, bodyDigest,
        ]
        return try Digest(of: previous + netstrings(fields)).bytes
    }
}

extension Connection {
    /// The hash of that row of the log, in hexadecimal; nil where there is no such row.
    func logHash(of sequence: Int64) throws -> String? {
        try first("SELECT hash FROM event WHERE sequence = ?", sequence) { try $0.bytes(0).hexadecimal }
    }

    /// The newest rows of that kind before row number `end`, newest first, at most `limit` (negative = all): those of
    /// one enrolment, or of all (nil). A row that was erased, or cannot be read here, is left out.
    func newestEvents(
        _ kind: String, of enrolment: String? = nil, before end: Int64 = .max, limit: Int = 1
    ) throws -> [LoggedEvent] {
        try rows(
            """
            SELECT \(EventLog.columns) FROM event WHERE kind = ? AND sequence < ? AND (enrolment = ? OR ?)
            ORDER BY sequence DESC LIMIT ?
            """, kind, end, enrolment, enrolment == nil, limit
        ) { try? StoredRow($0).logged(opening: encryption) }.compactMap(\.self)
    }
}
