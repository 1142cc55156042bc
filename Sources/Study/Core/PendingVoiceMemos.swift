// SPDX-License-Identifier: Apache-2.0
import Base

/// Voice memos between microphone and submission: which are to be registered, and which to be taken
/// off the disk. Pure.
///
/// A memo is registered in the same transaction as the answer that names it, and never without one.
struct PendingVoiceMemos: Sendable {
    private var sealed: [String: SealedRecording] = [:]
    /// Submitted before their files were sealed.
    private var owed: Set<String> = []

    /// A memo's file that can be listened to; nil while it is not sealed.
    subscript(id: String) -> SealedRecording? { sealed[id] }

    /// A file was sealed. Given back where its answer was submitted already: then it
    /// is registered now.
    mutating func keep(_ memo: SealedRecording, of id: String) -> SealedRecording? {
        if owed.remove(id) != nil { return memo }
        sealed[id] = memo
        return nil
    }

    /// It could not be recorded: it is no longer waited for.
    mutating func fail(_ id: String) { owed.remove(id) }

    /// Answers were submitted: the memos they name, those of them that are not sealed yet, and the
    /// memos without an answer.
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

    /// The memo is not wanted; nil where there is none.
    mutating func discard(_ id: String) -> SealedRecording? { sealed.removeValue(forKey: id) }

    /// The run was left without saving: all that were spoken in it.
    mutating func leave() -> [SealedRecording] {
        defer { sealed = [:] }
        return sealed.sorted { $0.key < $1.key }.map(\.value)
    }
}
