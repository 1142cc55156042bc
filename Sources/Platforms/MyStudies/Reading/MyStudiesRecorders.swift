// SPDX-License-Identifier: Apache-2.0
import Study

/// What is recorded while an active task is done: nothing, unless the task's `options` name it. For
/// `MyStudiesActivityReader`.
///
/// The apps record nothing: ResearchKit's span test and tower have no recorders whatever their
/// options say, the kick counter is MyStudies' own and has none, and the server leaves `options`
/// empty. So no participant has consented to it. A study that wants it, and says so in its consent,
/// names the recorder in `options`: `"options":["accelerometer"]`. ResearchKit's `exclude…` names
/// are still heeded where both are present. Source: ResearchKit's
/// ORKOrderedTask+ORKPredefinedActiveTask.m; MyStudies' ActivityMetaDataDao, where
/// `activeTaskOptions` has no caller.
enum MyStudiesRecorders {
    private static let all: [(identifier: String, exclusion: String, kinds: [TaskRecorder.Kind])] = [
        ("accelerometer", "excludeAccelerometer", [.accelerometer]),
        ("deviceMotion", "excludeDeviceMotion", [.accelerometer, .gyroscope, .magnetometer]),
        ("pedometer", "excludePedometer", [.steps]),
        ("location", "excludeLocation", [.position]),
        ("audio", "excludeAudio", [.sound]),
    ]

    /// The recorders that run while the step `key` is done. Each active task of an activity has its own.
    static func recorders(of key: String, named options: Set<String>) -> [TaskRecorder] {
        all.filter { options.contains($0.identifier) && !options.contains($0.exclusion) }.map {
            TaskRecorder(identifier: $0.identifier, kinds: $0.kinds, startStep: key, stopStep: key)
        }
    }
}
