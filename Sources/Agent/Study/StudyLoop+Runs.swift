// SPDX-License-Identifier: Apache-2.0
import Recording
import Store
import StudyEngine
import StudyModel

/// Runs that an earlier start left open.
extension StudyLoop {
    /// A run that a power cut ended is left; its answers were not submitted.
    /// A count of kicks goes on; every other run was broken off.
    func closeOpenRuns(of enrolment: String) async throws -> BrokenRun? {
        var closing = StudyCommit()
        var broken: BrokenRun?
        for run in try await parts.database.openRuns(of: enrolment) {
            let rows = try await parts.database.progress(of: run.task, opening: run.opening, in: enrolment)
            if broken == nil, let progress = TaskProgressRow.progress(rows, at: parts.stamps, isTrusted: isTrusted) {
                broken = BrokenRun(
                    task: run.task, opening: run.opening, occurrence: run.occurrence, progress: progress)
                continue
            }
            closing.events.append(.runLeft(task: run.task, opening: run.opening))
        }
        commit(closing)
        return broken
    }

    /// What an earlier start recorded for runs; the files of the one that goes on stay with it.
    func settleFound(goingOn broken: BrokenRun?) async throws {
        guard !foundForTasks.isEmpty else { return }
        let run = broken.flatMap { broken in
            study.flatMap { $0.conductor.runName(of: broken.task, opening: broken.opening) }
        }
        let files = foundForTasks
        foundForTasks = []
        try await settle(files, resumed: run)
    }
}
