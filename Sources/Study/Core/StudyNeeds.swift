// SPDX-License-Identifier: Apache-2.0

/// What has to be measured for a participant's tasks. Pure.
package struct StudyNeeds: Sendable, Hashable {
    /// Something is recorded: free texts are spoken, where they are not chosen by letters.
    package var microphone = false
    /// The study asks where the participant is.
    package var position = false

    /// What rules look at.
    package var features: [RuleFeature] = []

    package init() {}

    /// Of the tasks of one condition, on that panel; what other arms ask does not count.
    package init(_ study: StudyProtocol, condition: String?, panel: Panel) {
        let steps = study.tasks.filter { $0.condition == nil || $0.condition == condition }.flatMap(\.content.steps)
        features = study.rules?.features ?? []
        position = steps.contains { if case .position = $0.format { true } else { false } }
        microphone = steps.contains { step in
            switch step.format {
            case .text: panel.letters == nil
            case .recording, .reading(.noise), .reading(.ambient): true
            default: false
            }
        }
    }
}

/// The participant and needs of measuring: another enrolment, or a study with other needs, starts
/// measuring again.
package struct MeasuringTarget: Sendable, Hashable {
    /// The enrolment's id; nil = none.
    private let owner: String?
    /// What has to be measured for it.
    package let needs: StudyNeeds

    package init(owner: String?, needs: StudyNeeds) {
        self.owner = owner
        self.needs = needs
    }
}
