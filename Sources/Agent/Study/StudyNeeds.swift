// SPDX-License-Identifier: Apache-2.0
import StudyEngine
import StudyModel

/// What of measuring a participant's tasks cannot do without. Pure.
struct StudyNeeds: Sendable, Hashable {
    /// Free texts are spoken; where they are chosen by letters nothing has to be recorded.
    var microphone = false
    /// The study asks where the participant is.
    var position = false

    /// Nobody asks for anything.
    init() {}

    /// Of the tasks of one condition, on that panel; what other arms ask does not count.
    init(_ study: StudyProtocol, condition: String?, panel: Panel) {
        let steps = study.tasks.filter { $0.condition == nil || $0.condition == condition }.flatMap(\.content.steps)
        position = steps.contains { if case .position = $0.format { true } else { false } }
        microphone = panel.letters == nil && steps.contains { if case .text = $0.format { true } else { false } }
    }
}

/// For whom is measured: another enrolment, or a study with other needs, makes measuring begin anew.
struct MeasuringTarget: Sendable, Hashable {
    /// The enrolment's id; nil = nobody takes part.
    let owner: String?
    let needs: StudyNeeds
}
