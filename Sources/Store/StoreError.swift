// SPDX-License-Identifier: Apache-2.0

/// What the store refuses.
public enum StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// An occurrence ends in exactly one outcome.
    case secondOutcome(occurrence: String, has: String, refused: String)
    /// A row whose event cannot be read: sequence number and kind. What it says has no place in a message.
    case unreadableEvent(Int64, String)
    /// The head of the log cannot be kept beside it: the system's words.
    case headNotKept(String)
    /// A damaged store cannot be replaced: path and the system's words.
    case notReplaced(String, String)
    /// No item of that id.
    case noSuchItem(String)
    /// The item is not in a state in which that can be done.
    case wrongState(item: String, state: String)
    /// The request bytes of an item are not in the store.
    case missingContent(item: String)

    /// Names the thing and the remedy.
    public var description: String {
        switch self {
        case .secondOutcome(let occurrence, let has, let refused):
            "occurrence \(occurrence) has already ended (\(has)) and cannot end again (\(refused)): a fault of the program"
        case .unreadableEvent(let sequence, let kind):
            "event \(sequence) of the log, `\(kind.prefix(40))`, cannot be read: was it written by a newer version?"
        case .headNotKept(let reason):
            "the head of the log cannot be kept beside it (\(reason)): check the disk and the rights of the state folder"
        case .notReplaced(let path, let reason):
            "the damaged store cannot be replaced: \(path): \(reason); check the disk and the rights of the state folder"
        case .noSuchItem(let item): "there is no upload \(item): `studyd status --uploads` lists them"
        case .wrongState(let item, let state):
            "upload \(item) is \(state): only waiting and refused ones can be changed"
        case .missingContent(let item): "the bytes of upload \(item) are not in the store: delete it by hand"
        }
    }
}
