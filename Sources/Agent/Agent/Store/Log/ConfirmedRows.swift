// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study
import SystemKit

/// How far receivers have confirmed a log, by what they signed when something was delivered: rows up
/// to there cannot have been rewritten without that receiver's key. `studyd verify-log` shows it.
package struct ConfirmedRows: Sendable, Hashable {
    /// What one receiver has confirmed last.
    package struct Confirmation: Sendable, Hashable {
        /// Its public key, 64 hexadecimal digits.
        package let receiver: String
        package let sequence: Int64
        /// By the receiver's clock.
        package let time: Instant
    }

    /// One for each receiver: the furthest row that it has confirmed.
    package private(set) var confirmations: [Confirmation] = []
    /// Where this log contradicts what was confirmed.
    package private(set) var faults: [ChainFault] = []

    /// Reads all receipts of the log; `log` is the log's name (`LogHead.log`).
    init(_ connection: Connection, log: String) throws {
        try connection.forEach(
            """
            SELECT sequence, kind, body FROM event WHERE kind IN ('uploadDelivered', 'headConfirmed') ORDER BY sequence
            """
        ) { row in
            guard let text = Self.statement(try row.string(1), try row.string(2)) else { return }
            let place = try row.int(0)
            guard let statement = Countersignature(text), Self.isSigned(statement) else {
                return faults.append(ChainFault(sequence: place, problem: "has a receipt that no receiver signed"))
            }
            guard log.hasPrefix(statement.log) else {
                return faults.append(ChainFault(sequence: place, problem: "has the receipt of another log"))
            }
            guard let hash = try connection.logHash(of: statement.sequence), hash.hasPrefix(statement.hash) else {
                return faults.append(
                    ChainFault(sequence: statement.sequence, problem: "is not the row that a receiver has confirmed"))
            }
            note(statement)
        }
    }

    /// The receiver's signed statement in a row (its wire form); nil where the row has none.
    private static func statement(_ kind: String, _ body: String) -> String? {
        switch try? StudyEvent(kind: kind, body: body) {
        case .uploadDelivered(_, _, let text): text
        case .headConfirmed(let text): text
        default: nil
        }
    }

    private mutating func note(_ statement: Countersignature) {
        let known = confirmations.firstIndex { $0.receiver == statement.receiver }
        let confirmation = Confirmation(
            receiver: statement.receiver, sequence: statement.sequence, time: statement.time)
        if let known {
            if confirmations[known].sequence < statement.sequence { confirmations[known] = confirmation }
        } else {
            confirmations.append(confirmation)
        }
    }

    private static func isSigned(_ statement: Countersignature) -> Bool {
        // A short prefix would fit any log or row.
        guard statement.log.utf8.count >= 32, statement.hash.utf8.count >= 32,
            let key = [UInt8](hexadecimal: statement.receiver), let signature = Base64.decoded(statement.signature)
        else { return false }
        return Ed25519.isValid(signature, of: statement.signed, by: key)
    }
}
