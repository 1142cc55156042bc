// SPDX-License-Identifier: Apache-2.0
import Base

/// The questions of a `TaskRun` as they were presented, with the presses of each, for its `RunRecord`. Pure.
struct RunQuestions: Sendable {
    /// One for each presentation of a step so far.
    private(set) var all: [RunRecord.Question] = []

    mutating func present(_ step: String, at now: MonotonicTime) {
        all.append(RunRecord.Question(step: step, presented: now))
    }

    /// The question presented last is answered, or passed over with its answer kept.
    mutating func close(at now: MonotonicTime) {
        if !all.isEmpty { all[all.count - 1].answered = now }
    }

    /// A release belongs to the question that its press answered, though the next one may
    /// be open already. A press that comes once the last one is answered, as in the review, belongs to none.
    mutating func record(_ edge: ButtonEvent) {
        // Looked for at a release only, which finds it near the end.
        let pressed =
            edge.isPressed
            ? nil : all.lastIndex(where: { $0.presses.last { $0.button == edge.button }?.isPressed == true })
        let open = all.last?.answered == nil ? all.indices.last : nil
        guard let index = pressed ?? open else { return }
        all[index].presses.append(edge)
    }
}
