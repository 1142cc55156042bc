// SPDX-License-Identifier: Apache-2.0
import Database

/// A whole row of some log: its place in the table of those that were found, and in its chain.
struct SalvageCandidate {
    let rowid: Int64
    let sequence: Int64
    let hash: [UInt8]
    let previous: [UInt8]
}

/// The whole rows that were found in a damaged store, by number. `Salvage` asks for one number after another, up
/// or down; rows are read 500 numbers at a time, since a statement for each row took a quarter of a salvage.
final class SalvageCandidates {
    private let connection: Connection
    private var stretch: ClosedRange<Int64>?
    private var rows: [Int64: [SalvageCandidate]] = [:]
    private static let length: Int64 = 500

    init(_ connection: Connection) { self.connection = connection }

    /// All rows found for that number. Erased versions come first, so that what was erased stays erased.
    func all(numbered sequence: Int64) throws -> [SalvageCandidate] {
        guard sequence > 0 else { return [] }
        if let stretch, stretch.contains(sequence) { return rows[sequence] ?? [] }
        let isBelow = stretch.map { sequence < $0.lowerBound } ?? true
        try read(
            isBelow ? max(1, sequence - Self.length)...sequence : sequence...max(sequence, sequence &+ Self.length))
        return rows[sequence] ?? []
    }

    private func read(_ stretch: ClosedRange<Int64>) throws {
        rows = [:]
        try connection.forEach(
            """
            SELECT rowid, sequence, hash, previous FROM salvage_event WHERE sequence BETWEEN ? AND ?
            ORDER BY sequence, body LIKE '{"erased":"%' DESC, rowid
            """, values: [stretch.lowerBound, stretch.upperBound] as [any DatabaseBindable]
        ) { row in
            let candidate = SalvageCandidate(
                rowid: try row.int(0), sequence: try row.int(1), hash: try row.bytes(2), previous: try row.bytes(3))
            rows[candidate.sequence, default: []].append(candidate)
        }
        self.stretch = stretch
    }
}
