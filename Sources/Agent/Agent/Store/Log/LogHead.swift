// SPDX-License-Identifier: Apache-2.0

/// The end of the event log, as it is known outside it: whoever knows a head can tell a log of
/// which the end is missing, or that was written anew.
package struct LogHead: Codable, Sendable, Hashable {
    /// Which log it is: the hash of its first row, 64 hexadecimal digits. A log that goes on after
    /// damage keeps its name.
    package var log: String
    /// The number of the last row.
    package var sequence: Int64
    /// The hash of that row, 64 hexadecimal digits.
    package var hash: String
}

/// What a server is told of the log with every upload, so that it sees when rows that it has heard
/// of are gone or are no longer what they were.
///
///     Studyd-Log: <log> <number>:<hash> <number>:<hash> …
///
/// The first pair is the row that begins this very upload. The others are rows that began uploads
/// before: the last three of all, without one left out, then two at most that are still under way,
/// and that of the last delivery. Hashes are cut to their first 32 digits.
package struct LogWitness: Sendable, Hashable {
    /// The field's name.
    package static let field = "Studyd-Log"
    /// So many digits of a hash are told.
    private static let digits = 32
    /// As it goes over the wire.
    package let text: String

    init(log: String, rows: [(sequence: Int64, hash: String)]) {
        text = ([String(log.prefix(Self.digits))] + rows.map { "\($0.sequence):\($0.hash.prefix(Self.digits))" })
            .joined(separator: " ")
    }
}
