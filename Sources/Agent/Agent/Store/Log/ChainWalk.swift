// SPDX-License-Identifier: Apache-2.0
import Database

/// Verifies the hash chain of a log: rows are numbered without a gap, and each hash covers the one before. For
/// `studyd verify-log` (by way of `EventLog` or `ReadOnlyLog`), and for `StoreOpening` after damage.
struct ChainWalk {
    /// Rows that the log records as lost to damage (`SalvageRecord.lost`): pairs of first and last number.
    private let lost: [[Int64]]
    /// The number that the next row must have.
    private var sequence: Int64 = 1
    private var previous = EventLog.genesis

    private init(lost: [[Int64]]) { self.lost = lost }

    /// The first row that does not fit, nil when all do.
    static func fault(in connection: Connection) throws -> ChainFault? {
        var walk = ChainWalk(lost: try EventLog.salvages(connection).flatMap(\.lost))
        var fault: ChainFault?
        try connection.forEach("SELECT \(EventLog.columns) FROM event ORDER BY sequence") { row in
            if fault == nil { fault = try walk.take(StoredRow(row)) }
        }
        return fault
    }

    private mutating func take(_ row: StoredRow) throws -> ChainFault? {
        // Over rows that are known to be lost, the chain continues from the hash that this row names.
        if row.sequence > sequence, lost.covers(sequence...row.sequence - 1) {
            (sequence, previous) = (row.sequence, row.previous)
        }
        defer { (sequence, previous) = (row.sequence + 1, row.hash) }
        return try row.fault(after: previous, expecting: sequence)
    }
}

extension [[Int64]] {
    /// True where each number of the range lies in one of these.
    fileprivate func covers(_ range: ClosedRange<Int64>) -> Bool {
        var next = range.lowerBound
        for pair in filter({ $0.count == 2 }).sorted(by: { $0[0] < $1[0] }) where pair[0] <= next && pair[1] >= next {
            if pair[1] >= range.upperBound { return true }
            next = pair[1] + 1
        }
        return false
    }
}

/// A row of the log that does not fit its chain.
package struct ChainFault: Sendable, Hashable, CustomStringConvertible {
    package let sequence: Int64
    package let problem: String

    package var description: String {
        "event \(sequence): \(problem): the log was changed after it was written, or the disk is damaged"
    }
}
