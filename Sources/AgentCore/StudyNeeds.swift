// SPDX-License-Identifier: Apache-2.0
import StudyEngine
import StudyModel

/// What of measuring a participant's tasks cannot do without. Pure.
package struct StudyNeeds: Sendable, Hashable {
    /// Free texts are spoken; where they are chosen by letters nothing has to be recorded.
    package var microphone = false
    /// The study asks where the participant is.
    package var position = false

    /// Nobody asks for anything.
    package init() {}

    /// Of the tasks of one condition, on that panel; what other arms ask does not count.
    package init(_ study: StudyProtocol, condition: String?, panel: Panel) {
        let steps = study.tasks.filter { $0.condition == nil || $0.condition == condition }.flatMap(\.content.steps)
        position = steps.contains { if case .position = $0.format { true } else { false } }
        microphone = panel.letters == nil && steps.contains { if case .text = $0.format { true } else { false } }
    }
}

/// For whom is measured: another enrolment, or a study with other needs, makes measuring begin anew.
package struct MeasuringTarget: Sendable, Hashable {
    /// The enrolment's id; nil = nobody takes part.
    package let owner: String?
    package let needs: StudyNeeds

    /// For that enrolment.
    package init(owner: String?, needs: StudyNeeds) {
        self.owner = owner
        self.needs = needs
    }
}
