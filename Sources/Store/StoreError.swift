// SPDX-License-Identifier: Apache-2.0

/// What the store refuses.
public enum StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// An occurrence ends in exactly one outcome.
    case secondOutcome(occurrence: String, has: String, refused: String)
    /// A row whose event cannot be read: sequence number and text.
    case unreadableEvent(Int64, String)
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
        case .unreadableEvent(let sequence, let text):
            "event \(sequence) of the log cannot be read (\(text.prefix(120))): was it written by a newer version?"
        case .noSuchItem(let item): "there is no upload \(item): `studyd status --uploads` lists them"
        case .wrongState(let item, let state):
            "upload \(item) is \(state): only waiting and refused ones can be changed"
        case .missingContent(let item): "the bytes of upload \(item) are not in the store: delete it by hand"
        }
    }
}
