// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// What ResearchKit records while a predefined task is done, unless the task's options exclude it.
///
/// Source: the options of ResearchKit's ORKPredefinedTaskOption, in lower camel case as MyStudies spells them.
enum MyStudiesRecorders {
    private static let all: [(option: String, identifier: String, kinds: [TaskRecorder.Kind])] = [
        ("excludeAccelerometer", "accelerometer", [.accelerometer]),
        ("excludeDeviceMotion", "deviceMotion", [.accelerometer, .gyroscope, .magnetometer]),
        ("excludePedometer", "pedometer", [.steps]),
        ("excludeLocation", "location", [.position]),
        ("excludeAudio", "audio", [.sound]),
    ]

    /// While the step of that key is done. Several active tasks of one activity have recorders of their own.
    static func recorders(of key: String, without options: Set<String>) -> [TaskRecorder] {
        all.filter { !options.contains($0.option) }.map {
            TaskRecorder(identifier: $0.identifier, kinds: $0.kinds, startStep: key, stopStep: key)
        }
    }
}
