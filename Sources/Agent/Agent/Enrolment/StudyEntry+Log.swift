// SPDX-License-Identifier: Apache-2.0
import Study

extension StudyEntry {
    /// What the log says of that study's runs when it begins to run.
    init(_ study: ActiveStudy?, from database: StudyDatabase) async throws {
        self.init(study: study)
        guard let id = study?.record.id else { return }
        lostSince = try await database.lossBegan(of: id)
        for run in try await database.openRuns(of: id) {
            openRuns.append(
                LeftRun(
                    task: run.task, opening: run.opening, occurrence: run.occurrence,
                    rows: try await database.progress(of: run.task, opening: run.opening, in: id)))
        }
    }
}
