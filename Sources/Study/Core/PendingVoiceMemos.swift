// SPDX-License-Identifier: Apache-2.0
import Base

/// Voice memos of the open run, until they are registered in the log with their submission or deleted. Part of
/// `RunFiles`. Pure.
///
/// A memo is registered in the same transaction as the answer that names it, or after it, and never
/// without one.
struct PendingVoiceMemos: Sendable {
    /// By the memo's id.
    private var sealed: [String: SealedRecording] = [:]
    /// Ids of memos whose answers were submitted before their files were sealed.
    private var owed: Set<String> = []

    /// A memo's file that can be listened to; nil while it is not sealed.
    subscript(id: String) -> SealedRecording? { sealed[id] }

    /// A file was sealed. Returned where its answer was submitted already, to be registered now.
    mutating func keep(_ memo: SealedRecording, of id: String) -> SealedRecording? {
        if owed.remove(id) != nil { return memo }
        sealed[id] = memo
        return nil
    }

    /// It could not be recorded: it is no longer waited for.
    mutating func fail(_ id: String) { owed.remove(id) }

    /// Answers were submitted: returns the sealed memos they name, the ids they name that are not sealed
    /// yet, and the memos that no answer names.
    mutating func submit(_ answers: some Sequence<AnswerValue>) -> (
        named: [SealedRecording], missing: Set<String>, unnamed: [SealedRecording]
    ) {
        var named: [SealedRecording] = []
        var missing: Set<String> = []
        for case .recording(let id) in answers {
            if let memo = sealed.removeValue(forKey: id) { named.append(memo) } else { missing.insert(id) }
        }
        owed.formUnion(missing)
        return (named, missing, leave())
    }

    /// The participant does not want the memo: returns its file, to be deleted; nil where there is none.
    mutating func discard(_ id: String) -> SealedRecording? { sealed.removeValue(forKey: id) }

    /// The run was left without submitting: returns the files of all its memos, to be deleted.
    mutating func leave() -> [SealedRecording] {
        defer { sealed = [:] }
        return sealed.sorted { $0.key < $1.key }.map(\.value)
    }
}
