// SPDX-License-Identifier: Apache-2.0

/// What the lab's receiver gets to know of the log with every upload (`DeliveryRunner`), or with every report where no
/// upload goes to it (`ReportService`), so that it sees when known rows are gone or were changed. `UploadWitness` makes
/// it; in the lab `LogHeads` compares it with what came before.
///
///     Studyd-Log: <log> <number>:<hash> <number>:<hash> …
///
/// The first pair is the row that begins this very upload or report. The others are rows that began
/// earlier ones: the last three, those still under way, and the last before the newest receipt.
/// Hashes are cut to their first 32 digits.
package struct LogWitness: Sendable, Hashable {
    /// HTTP header field.
    package static let field = "Studyd-Log"
    /// This many digits of a hash are sent.
    private static let digits = 32
    /// As it goes over the wire.
    package let text: String

    init(log: String, rows: [(sequence: Int64, hash: String)]) {
        text = ([String(log.prefix(Self.digits))] + rows.map { "\($0.sequence):\($0.hash.prefix(Self.digits))" })
            .joined(separator: " ")
    }
}
