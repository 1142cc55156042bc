// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study
import SystemKit

/// The body of a row that may hold answers, as the log has it where they are encrypted: an age file in
/// base 64, beside the run it belongs to, so that what happened when can be told without a key.
///
///     {"age":"YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+…","opening":3,"task":"evening"}
enum EncryptedBody {
    /// Kinds of events that hold answers, or tell them by what was pressed and when.
    static let kinds: Set<String> = [
        "answered", "submitted", "taskProgress", "variableSet", "pressed", "released", "marked",
    ]

    private struct Envelope: Codable {
        let age: String
        let opening: Int?
        let task: String?
    }

    private struct Run: Decodable {
        let opening: Int?
        let task: String?
    }

    static let start = "{\"age\":\""

    static func isEncrypted(_ body: String) -> Bool { body.hasPrefix(start) }

    /// The body of a new row of that kind.
    static func stored(_ body: String, of kind: String, by encryption: BodyEncryption?) throws -> String {
        guard let encryption, encryption.isEncrypting, kinds.contains(kind) else { return body }
        let run = try StoredJSON.value(Run.self, from: body)
        let encrypted: [UInt8]
        do { encrypted = try encryption.encrypted(Array(body.utf8)) } catch { throw StoreError.notEncrypted }
        return try StoredJSON.text(Envelope(age: Base64.encoded(encrypted), opening: run.opening, task: run.task))
    }

    /// The body as it was; nil where it is encrypted to a key that is not here.
    static func opened(_ body: String, by encryption: BodyEncryption?) -> String? {
        guard isEncrypted(body) else { return body }
        guard let encryption, let envelope = try? StoredJSON.value(Envelope.self, from: body),
            let encrypted = Base64.decoded(envelope.age), let content = encryption.opened(encrypted)
        else { return nil }
        return String(decoding: content, as: UTF8.self)
    }

    /// Of which run an encrypted body is; nil where it is of none.
    static func run(of body: String) -> (task: String, opening: Int)? {
        guard let envelope = try? StoredJSON.value(Envelope.self, from: body), let task = envelope.task,
            let opening = envelope.opening
        else { return nil }
        return (task, opening)
    }

    /// The oldest and the newest submission that is encrypted can be opened, or there is none.
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
