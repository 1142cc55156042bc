// SPDX-License-Identifier: Apache-2.0
import Base
import Study

extension StudyDatabase {
    /// What the log knows of the runs that these files were recorded for (`CoreEffect.settle`).
    nonisolated func runKnowledge(of files: [SealedRecording], resumed: String?) async throws -> RunKnowledge {
        var knowledge = RunKnowledge(latest: try await latestEnrolment()?.record, resumed: resumed)
        guard let latest = knowledge.latest else { return knowledge }
        if files.contains(where: { $0.memo != nil }) {
            knowledge.named = try await spokenAnswers(in: latest.id)
        }
        for task in Set(files.compactMap(\.description.task?.task)) {
            for opening in try await submittedOpenings(of: task, in: latest.id) {
                knowledge.submitted.insert("\(task)/\(opening)")
            }
        }
        return knowledge
    }
}
