// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// A button that the board file binds to a task of the study: `StudyVerdict` and `studyd check` look whether it can
/// open that task.
struct BoundButton: Sendable, Hashable {
    let name: String
    let task: String
    /// Why it cannot open that task, with place and remedy; nil = it can.
    let refusal: Explanation?
}

extension Panel {
    /// The bound buttons of this panel, checked against a study.
    func boundButtons(in study: StudyProtocol) -> [BoundButton] {
        buttons.compactMap { button in
            guard case .task(let key) = button.role else { return nil }
            return BoundButton(name: button.name, task: key, refusal: refusal(key, button.place, study))
        }
    }

    private func refusal(_ key: String, _ place: String, _ study: StudyProtocol) -> Explanation? {
        guard let task = study.task(key) else {
            return Explanation(
                place: place, cause: "the study has no task '\(key)'",
                remedy: "its tasks are \(study.tasks.map(\.key).joined(separator: ", "))")
        }
        // A task may be left out on this panel, and a step that is always skipped cannot be asked.
        guard let served = study.served(by: self).task(key),
            served.content.steps.contains(where: { !$0.isAlwaysSkipped })
        else {
            return Explanation(
                place: place, cause: "the task '\(task.key)' cannot be started on this board",
                remedy: "name another task, or remove the key")
        }
        return nil
    }
}
