// SPDX-License-Identifier: Apache-2.0

extension StudyProtocol {
    /// The study as a panel serves it: a message to those who run it can be written only where
    /// there are letters or a microphone, and no study is refused for that.
    package func served(by panel: Panel) -> StudyProtocol {
        leavingOut { unwritable($0, on: panel) }.leavingOutSteps { Self.isLeftOut($0, on: panel) }
    }

    /// What this panel cannot ask and the study can go without: each with its task, and why.
    package func stepsLeftOut(on panel: Panel) -> [(task: StudyTask, step: Step, reason: String)] {
        tasks.flatMap { task in
            task.content.steps.compactMap { step in
                guard step.isDispensable, case .refused(let reason) = PanelSupport(step, on: panel) else { return nil }
                return (task, step, reason)
            }
        }
    }

    private static func isLeftOut(_ step: Step, on panel: Panel) -> Bool {
        step.isDispensable && PanelSupport(step, on: panel).isRefused
    }

    /// True where the study takes messages and none can be written on this panel.
    package func cannotWriteMessages(on panel: Panel) -> Bool {
        tasks.contains { $0.purpose == .message && unwritable($0, on: panel) }
    }

    private func unwritable(_ task: StudyTask, on panel: Panel) -> Bool {
        guard task.isAside, case .questionnaire(let questionnaire) = task.content else { return false }
        return questionnaire.steps.contains { PanelSupport($0, on: panel).isRefused }
    }
}
