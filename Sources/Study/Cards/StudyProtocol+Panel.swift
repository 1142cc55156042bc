// SPDX-License-Identifier: Apache-2.0

extension StudyProtocol {
    /// The study without what this panel cannot ask and the study can go without: steps that the study calls
    /// dispensable, and tasks beside the study (`isAside`), such as a message to those who run it. Nothing else is
    /// left out: a study whose other steps this panel cannot ask is refused.
    package func served(by panel: Panel) -> StudyProtocol {
        leavingOut { unwritable($0, on: panel) }.leavingOutSteps { Self.isLeftOut($0, on: panel) }
    }

    /// What this panel cannot ask and the study can go without: each with its task, and why. `StudyVerdict`
    /// warns of them.
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
        task.isAside && task.content.steps.contains { PanelSupport($0, on: panel).isRefused }
    }
}
