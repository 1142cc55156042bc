// SPDX-License-Identifier: Apache-2.0
import Database

extension EventLog {
    /// Walks the chain of a log that somebody opened to read.
    static func verify(_ connection: Connection) throws -> ChainFault? {
        let named = try salvages(connection).flatMap(\.lost)
        var expected = (sequence: Int64(1), previous: genesis)
        var fault: ChainFault?
        try connection.forEach("SELECT \(columns) FROM event ORDER BY sequence") { row in
            guard fault == nil else { return }
            let stored = try StoredRow(row)
            if stored.sequence > expected.sequence, named.covers(expected.sequence...stored.sequence - 1) {
                expected = (stored.sequence, stored.previous)
            }
            fault = try stored.fault(after: expected.previous, expecting: expected.sequence)
            expected = (stored.sequence + 1, stored.hash)
        }
        return fault
    }

    /// True where a row says by itself that it is whole: its hash is that of its content and of the
    /// hash it says it follows. `row` has the columns of `columns`.
    static func isWhole(_ row: Row) -> Bool {
        guard let stored = try? StoredRow(row) else { return false }
        return (try? stored.fault(after: stored.previous, expecting: stored.sequence)) == .some(nil)
    }
}

/// A row of the log that does not fit its chain.
package struct ChainFault: Sendable, Hashable, CustomStringConvertible {
    /// The row's sequence number.
    package let sequence: Int64
    /// What does not fit.
    package let problem: String

    /// Names the row and what does not fit.
    package var description: String {
        "event \(sequence): \(problem): the log was changed after it was written, or the disk is damaged"
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
