// SPDX-License-Identifier: Apache-2.0

/// What the results of a task need of its file: made by `SageTaskReader`, kept by `SageWriter` until a run is
/// submitted.
struct SageTask: Sendable {
    let identifier: String
    let versionString: String
    /// Empty where the file names none.
    let schemaIdentifier: String
    /// The revision of v1 to v3; nil = none.
    let schemaRevision: Int64?
    /// A file of AssessmentModel, whose results BridgeClientKMM and MotorControl 2 write; else SageResearch's.
    let isAssessmentModel: Bool
    /// By their keys.
    let steps: [String: SageStep]
    /// What recorders are to write, by their names in the task.
    var actions: [String: SageAction] = [:]
    /// By hand, the key of the step that is drawn where that hand comes first.
    let handOrder: [String: String]
    var assessment: BridgeAssessment?
}
