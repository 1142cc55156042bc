// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study
import SystemKit

/// The body of a row that may hold answers, as the log has it where they are sealed: an age file in
/// base 64, beside the run it belongs to, so that what happened when can be told without a key.
///
///     {"age":"YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+…","opening":3,"task":"evening"}
enum SealedBody {
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

    static func isSealed(_ body: String) -> Bool { body.hasPrefix(start) }

    /// The body of a new row of that kind.
    static func stored(_ body: String, of kind: String, by seal: BodySeal?) throws -> String {
        guard let seal, seal.isSealing, kinds.contains(kind) else { return body }
        let run = try StoredJSON.value(Run.self, from: body)
        let sealed: [UInt8]
        do { sealed = try seal.sealed(Array(body.utf8)) } catch { throw StoreError.notSealed }
        return try StoredJSON.text(Envelope(age: Base64.encoded(sealed), opening: run.opening, task: run.task))
    }

    /// The body as it was; nil where it is sealed to a key that is not here.
    static func opened(_ body: String, by seal: BodySeal?) -> String? {
        guard isSealed(body) else { return body }
        guard let seal, let envelope = try? StoredJSON.value(Envelope.self, from: body),
            let sealed = Base64.decoded(envelope.age), let content = seal.opened(sealed)
        else { return nil }
        return String(decoding: content, as: UTF8.self)
    }

    /// Of which run a sealed body is; nil where it is of none.
    static func run(of body: String) -> (task: String, opening: Int)? {
        guard let envelope = try? StoredJSON.value(Envelope.self, from: body), let task = envelope.task,
            let opening = envelope.opening
        else { return nil }
        return (task, opening)
    }

    /// The oldest and the newest submission that is sealed can be opened, or there is none.
    static func canBeOpened(in connection: Connection) throws -> Bool {
        for order in ["ASC", "DESC"] {
            let body = try connection.first(
                """
                SELECT body FROM event WHERE kind = 'submitted' AND substr(body, 1, 8) = ? ORDER BY sequence \(order) LIMIT 1
                """, start
            ) { try $0.string(0) }
            if let body, opened(body, by: connection.seal) == nil { return false }
        }
        return true
    }
}
