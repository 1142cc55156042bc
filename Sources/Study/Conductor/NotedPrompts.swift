// SPDX-License-Identifier: Apache-2.0
import Base

/// The prompts that are in the event log, so that `StudyConductor` notes each as due, and as signalled, only
/// once. `ActiveStudyLoading` fills it from the log at a start.
package struct NotedPrompts: Sendable {
    private var prompted: Set<String>
    private var presented: Set<String>
    private var putOffUntil: [String: Instant]

    /// Nothing yet, unless said otherwise: `prompted` are ids of occurrences with a prompt that was
    /// due, `presented` of those with a signal that was given; `putOffUntil` is when those come
    /// again that were put off before a restart, by the wall clock.
    package init(prompted: Set<String> = [], presented: Set<String> = [], putOffUntil: [String: Instant] = [:]) {
        (self.prompted, self.presented, self.putOffUntil) = (prompted, presented, putOffUntil)
    }

    func wasPrompted(_ id: String) -> Bool { prompted.contains(id) }

    func wasPresented(_ id: String) -> Bool { presented.contains(id) }

    /// False where the log has it already.
    mutating func addPrompted(_ id: String) -> Bool { prompted.insert(id).inserted }

    /// False where the log has it already.
    mutating func addPresented(_ id: String) -> Bool { presented.insert(id).inserted }

    /// When it comes again, the first time this is asked; nil where it was not put off before a
    /// restart.
    mutating func takePutOff(_ id: String) -> Instant? { putOffUntil.removeValue(forKey: id) }

    mutating func forget(_ ids: [String]) {
        prompted.subtract(ids)
        presented.subtract(ids)
        for id in ids { putOffUntil[id] = nil }
    }
}
