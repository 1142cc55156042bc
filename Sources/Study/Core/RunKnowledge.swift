// SPDX-License-Identifier: Apache-2.0

/// What the log knows of runs for which files were found at a start: the agent's answer to `CoreEffect.settle`.
package struct RunKnowledge: Sendable {
    /// The latest enrolment; nil where there never was one.
    package var latest: EnrolmentRecord?
    /// Runs of it that were submitted, as `task/opening`.
    package var submitted: Set<String> = []
    /// Ids of the spoken answers that its submissions name.
    package var named: Set<String> = []
    /// The open run that goes on: its files are kept for it.
    package var resumed: String?

    package init(latest: EnrolmentRecord?, resumed: String?) { (self.latest, self.resumed) = (latest, resumed) }

    /// Whether the latest enrolment submitted the run of that name (`StudyConductor.runName`):
    /// `<enrolment>-<task index>-<opening>`.
    func wasSubmitted(_ run: String, of task: String) -> Bool {
        guard let latest, run.hasPrefix(latest.id + "-") else { return false }
        let opening = run.split(separator: "-").last.flatMap { Int($0) } ?? 0
        return submitted.contains("\(task)/\(opening)")
    }
}
