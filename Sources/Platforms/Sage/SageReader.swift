// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads studies of SageResearch: task files, and `study.toml`, which the folder's reader gives as
/// `study.json`. `StudyReading` calls it.
///
/// Without `study.toml` every task among the files can be done at any time. With it, only files
/// that it or one of its tasks names are read.
package struct SageReader: StudyReader {
    package init() {}

    /// What a task of AssessmentModel says it is.
    static let assessmentTypes: Set<String> = ["assessment", "twoHandAssessment", "walkAssessment"]
    /// What any task says it is; files of v1 to v3 say nothing.
    static let taskTypes: Set<String> = assessmentTypes.union([
        "motorControlTask", "task", "motionTask", "audioRecorderTask",
    ])

    /// True where one of the files has steps, or `study.toml` says so. Steps of another type than a task's are
    /// refused with that type.
    package func recognises(_ source: StudySource) -> Bool {
        source.files.contains { file in
            guard let root = try? JSONNode.lenient(file.bytes).node else { return false }
            return Self.hasSteps(root) || JSONPlace(root: root).member("platform")?.text == PlatformName.sage.rawValue
        }
    }

    static func isTask(_ root: JSONNode) -> Bool {
        hasSteps(root) && JSONPlace(root: root).member("type")?.text.map(taskTypes.contains) ?? true
    }

    /// True for tasks, sections, and what an app has made of them.
    static func hasSteps(_ root: JSONNode) -> Bool {
        let place = JSONPlace(root: root)
        return place.member("identifier")?.text != nil && place.member("steps")?.elements != nil
    }

    /// Files of sections and steps that a task names.
    package func companions(of file: StudySource.File) -> Set<String> {
        guard let root = try? JSONNode.lenient(file.bytes).node else { return [] }
        return Set(SageTaskReader.resources(of: JSONPlace(root: root)).map { $0 + ".json" })
    }

    /// Every problem of every file that belongs to the study is thrown at once, but for a file
    /// that is not JSON: it is thrown alone.
    package func decode(_ source: StudySource) throws(StudyFormatError) -> StudyProtocol {
        var decoder = try SageDecoder(source)
        return try decoder.study()
    }
}
