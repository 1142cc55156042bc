// SPDX-License-Identifier: Apache-2.0

/// A recorder of a task (`asyncActions`), and what goes into its file; `SageActionReader` reads it, and
/// `SageRecordingCollector` makes the file.
struct SageAction: Sendable, Hashable {
    /// As the file names it.
    let identifier: String
    /// Identifiers of the sections that the action belongs to, the outermost first.
    let sections: [String]
    /// `motion`, `microphone` or `distance`.
    let type: String
    /// The step records by itself, without an action in the file. MotorControl 2 does not tell such a recorder of the
    /// step: its path ends with the section (MotorControl-iOS f303936, `MotionSensorViewModels.swift`,
    /// `initialStepPath`).
    var isBuiltIn = false
    /// For `motion`: the sensors that are written.
    var sensors: [String] = []
    /// For `microphone`: the sound itself is sent, not only its level.
    var savesAudio = false
    /// For `distance`: only how far the participant went is sent, not where.
    var isRelativeOnly = true
    /// For `distance`: the step in which the participant moves; nil = all steps.
    var motionStep: String?
}
