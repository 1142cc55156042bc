// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study
import SystemKit

/// The body of a row that may hold answers, in a log with encryption: an age file in base 64, beside the task
/// and opening (run) it belongs to, so that a log without its key still shows what happened when. `EventLog` stores
/// rows with it, `StoredRow` opens them.
///
///     {"age":"YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+…","opening":3,"task":"evening"}
enum EncryptedBody {
    /// Kinds of events that hold answers, or tell them by what was pressed and when.
    static let kinds: Set<String> = [
        "answered", "submitted", "taskProgress", "variableSet", "pressed", "released", "marked",
    ]

    /// Read from a body in the clear, it has no `age`.
    private struct Envelope: Codable {
        var age: String?
        let opening: Int?
        let task: String?
    }

    static let start = "{\"age\":\""

    static func isEncrypted(_ body: String) -> Bool { body.hasPrefix(start) }

    /// The body to store in a new row of that kind: encrypted where it may hold answers and `encryption` is on.
    static func stored(_ body: String, of kind: String, by encryption: BodyEncryption?) throws -> String {
        guard let encryption, encryption.isEncrypting, kinds.contains(kind) else { return body }
        var envelope = try StoredJSON.value(Envelope.self, from: body)
        do { envelope.age = Base64.encoded(try encryption.encrypted(Array(body.utf8))) } catch {
            throw StoreError.encryptionFailed
        }
        return try StoredJSON.text(envelope)
    }

    /// The body as it was; nil where it is encrypted to a key that is not here.
    static func opened(_ body: String, by encryption: BodyEncryption?) -> String? {
        guard isEncrypted(body) else { return body }
        guard let encryption, let age = try? StoredJSON.value(Envelope.self, from: body).age,
            let encrypted = Base64.decoded(age), let content = encryption.opened(encrypted)
        else { return nil }
        return String(decoding: content, as: UTF8.self)
    }

    /// The run that an encrypted body belongs to; nil where it belongs to none.
    static func run(of body: String) -> (task: String, opening: Int)? {
        guard let envelope = try? StoredJSON.value(Envelope.self, from: body), let task = envelope.task,
            let opening = envelope.opening
        else { return nil }
        return (task, opening)
    }

    /// Whether the key opens the oldest and the newest encrypted submission; true where there is none.
    static func canBeOpened(in connection: Connection) throws -> Bool {
        for order in ["ASC", "DESC"] {
            let body = try connection.first(
                """
                SELECT body FROM event WHERE kind = 'submitted' AND substr(body, 1, 8) = ? ORDER BY sequence \(order) LIMIT 1
                """, start
            ) { try $0.string(0) }
            if let body, opened(body, by: connection.encryption) == nil { return false }
        }
        return true
    }
}
