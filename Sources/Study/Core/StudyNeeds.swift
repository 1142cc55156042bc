// SPDX-License-Identifier: Apache-2.0

/// What has to be measured for a participant's tasks. `MeasuringControl` opens the sensors by it. Pure.
package struct StudyNeeds: Sendable, Hashable {
    /// A task asks for sound: a recording, a noise level, or a free text, which is spoken unless the panel
    /// enters letters.
    package var microphone = false
    package var position = false
    /// The features that the study's rules look at.
    package var features: [RuleFeature] = []

    package init() {}

    /// What the tasks of one arm (`condition`) need on that panel; tasks of other arms do not count.
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
