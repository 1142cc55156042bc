// SPDX-License-Identifier: Apache-2.0
import Base

/// Which run is open, and how often each task was opened and submitted: `StudyConductor` keeps it, begun with
/// the counts of the log. Pure.
struct RunBook: Sendable {
    struct Run: Sendable {
        let entry: OpenList.Entry
        /// How often its task was opened so far, this time included.
        let opening: Int
        /// When what it answers was opened first, this time or before; nil where it answers nothing.
        let firstOpened: Instant?
    }

    private(set) var openings: [String: Int]
    private var submissions: [String: Int]
    private(set) var open: Run?
    /// By occurrence, of those that were not submitted.
    private var firstOpened: [String: Instant]
    /// The prompt that was taken up and whose task is being opened.
    private var taken: String?

    init(openings: [String: Int], submissions: [String: Int], firstOpened: [String: Instant]) {
        (self.openings, self.submissions, self.firstOpened) = (openings, submissions, firstOpened)
    }

    mutating func takePrompt(_ id: String) { taken = id }

    /// True where this prompt was taken up. Forgets which one was, either way: only the next
    /// opening answers it.
    mutating func consumeTakenPrompt(_ id: String) -> Bool {
        defer { taken = nil }
        return taken == id
    }

    mutating func begin(_ entry: OpenList.Entry, at now: Instant) -> Run {
        openings[entry.task, default: 0] += 1
        if let id = entry.answers?.id, firstOpened[id] == nil { firstOpened[id] = now }
        let run = run(of: entry, opening: openings[entry.task, default: 1])
        open = run
        return run
    }

    /// A run goes on after a restart; it was counted before.
    mutating func resume(_ entry: OpenList.Entry, opening: Int) { open = run(of: entry, opening: opening) }

    private func run(of entry: OpenList.Entry, opening: Int) -> Run {
        Run(entry: entry, opening: opening, firstOpened: entry.answers.flatMap { firstOpened[$0.id] })
    }

    /// Closes the open run and returns it; nil where none is open.
    mutating func end() -> Run? {
        defer { open = nil }
        return open
    }

    /// The submission of a run that has ended, which is counted; `extra` are answers under keys
    /// that no question has.
    mutating func submit(_ run: Run, _ record: RunRecord, adding extra: Answers, at now: Moment) -> Submission {
        var submission = Submission(
            task: run.entry.task, occurrence: run.entry.occurrence, order: record.opened.order,
            answers: record.answers.merging(extra) { $1 }, drawn: record.opened.presets, submitted: now.instant,
            run: countSubmission(run.entry), times: record.times(at: now), course: record.course(at: now))
        submission.prompt = run.entry.answers
        submission.firstOpened = run.firstOpened
        return submission
    }

    /// Counts a submission and returns its number: for a sticky task, which may be done again and again,
    /// how often it was submitted; for others the occurrence's own number.
    private mutating func countSubmission(_ entry: OpenList.Entry) -> Int {
        submissions[entry.task, default: 0] += 1
        if let id = entry.answers?.id { firstOpened[id] = nil }
        return entry.isSticky ? submissions[entry.task, default: 0] : entry.occurrence.number
    }
}
