// SPDX-License-Identifier: Apache-2.0
import Base

/// What the store throws, for people to read in `explanation`. What is encrypted is "sealed" there, after `[seal]` of
/// the configuration.
package enum StoreError: ExplainedError, Sendable, Hashable {
    /// An occurrence ends in exactly one outcome.
    case secondOutcome(occurrence: String, has: String, refused: String)
    /// Its content has no place in a message.
    case unreadableEvent(_ sequence: Int64, _ kind: String)
    case fullDisk(_ path: String)
    case headNotKept(_ reason: String)
    case notReplaced(_ path: String, _ reason: String)
    /// A store from which more can be salvaged than SQLite reads.
    case damaged(_ path: String, _ words: String)
    case noSuchItem(String)
    case wrongState(item: String, state: String)
    case missingContent(item: String)
    /// This one and the next: encrypted to a key that is not here.
    case encryptedContent(item: String)
    case encryptedAnswers
    case encryptionFailed

    package var explanation: Explanation {
        switch self {
        case .secondOutcome(let occurrence, let has, let refused):
            Explanation(
                place: "occurrence \(occurrence)",
                cause: "has already ended (\(has)) and cannot end again (\(refused))",
                remedy: "this is a bug in studyd; please report it")
        case .unreadableEvent(let sequence, let kind):
            Explanation(
                place: "event \(sequence) of the log", cause: "`\(kind.prefix(40))` cannot be read",
                remedy: "if it was written by a newer version, install that one")
        case .fullDisk(let path):
            Explanation(
                place: path, cause: "the disk is full, and a store cannot be opened without some room",
                remedy: "free some space on it, or start the agent (systemctl start studyd), which has its reserve")
        case .headNotKept(let reason):
            Explanation(cause: "the head of the log cannot be stored next to it (\(reason))", remedy: Self.folder)
        case .notReplaced(let path, let reason):
            Explanation(place: path, cause: "the damaged store cannot be replaced: \(reason)", remedy: Self.folder)
        case .damaged(let path, let words):
            Explanation(
                place: path, cause: words,
                remedy: "start the agent ('studyd run' or systemctl start studyd): it salvages what can be read")
        case .noSuchItem(let item):
            Explanation(cause: "there is no upload \(item)", remedy: "`studyd status --uploads` lists them")
        case .wrongState(let item, let state):
            Explanation(
                place: "upload \(item)", cause: "is \(state)", remedy: "only waiting and refused ones can be changed")
        case .missingContent(let item):
            Explanation(
                cause: "the bytes of upload \(item) are not in the store",
                remedy: "delete it with 'studyd outbox delete'")
        case .encryptedContent(let item):
            Explanation(
                cause: "the bytes of upload \(item) are sealed to a key that is not here",
                remedy: Self.keyRemedy)
        case .encryptedAnswers:
            Explanation(
                place: "log", cause: "answers in it are sealed to a key that is not here, and are left out",
                remedy: Self.keyRemedy)
        case .encryptionFailed:
            Explanation(
                place: "seal", cause: "libcrypto refused", remedy: "check the OpenSSL installation and free memory")
        }
    }

    private static let keyRemedy =
        "put seal.key of the state folder back (or [seal] key of studyd.toml) and start again; with the key of "
        + "a [seal] recipient the lab can open them"
    private static let folder = "check the disk and the rights of the state folder"
}
