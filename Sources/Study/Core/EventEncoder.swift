// SPDX-License-Identifier: Apache-2.0
import Base

/// Turns the conductor's effects into rows of the event log and requests for the study's server. `StudyCore`
/// calls `commit` with the effects of one event, and stores the result in one transaction. Pure.
package struct EventEncoder: Sendable {
    /// What the writer knows besides the report.
    package private(set) var context: WireContext
    /// Requests made so far: part of each request's origin, so that two of one moment have different ones.
    private var reports = 0

    package init(context: WireContext) { self.context = context }

    private var writer: any ReportWriter { context.study.writer }

    /// What `effects` want committed. What devices do, and leaving the study, is left to `StudyCore`.
    package mutating func commit(_ effects: [StudyConductor.Effect], at now: Moment) -> StudyCommit {
        var commit = StudyCommit()
        for effect in effects {
            switch effect {
            case .note(.progressed(let task, let opening, let progress)):
                commit.events.append(
                    .taskProgress(
                        task: task, opening: opening, name: progress.name, at: now.monotonic, values: progress.values,
                        step: progress.step))
            case .note(let note): commit.events += Self.events(note)
            // Its request carries recordings, so it is made once those are sealed (`StudyCore.release`).
            case .report(.submitted(let submission)) where waits(submission): break
            case .report(let report): commit.drafts += drafts(report, at: now)
            case .device, .withdraw: break
            }
        }
        return commit
    }

    /// Whether the request of a run is made once its recordings and spoken answers are there.
    func waits(_ submission: Submission) -> Bool {
        guard writer.sendsRecorded, let course = submission.course else { return false }
        return !course.recorded.isEmpty
            || submission.answers.values.contains { if case .recording = $0 { true } else { false } }
    }

    /// Takes the same enrolment with its date, which was unknown so far.
    mutating func setDated(_ enrolment: Enrolment) { context.enrolment = enrolment }

    /// The requests that a report makes; none where the platform does not want it. A request that is an
    /// archive is packed and encrypted later, when it is stored, and only once.
    package mutating func drafts(_ report: Report, at now: Moment) -> [OutboxDraft] {
        let isSubmission = if case .submitted = report { true } else { false }
        let isLast = if case .withdrawn = report { true } else { false }
        return writer.requests(for: report, at: now.instant, in: context).map { request in
            reports += 1
            return OutboxDraft(
                origin: "report \(now.monotonic.nanoseconds)/\(reports)", itemClass: isSubmission ? .answers : .events,
                destination: server, content: .request(request), isLast: isLast)
        }
    }

    /// The destination that is the study's own server.
    var server: String { context.study.platform.rawValue }

    /// What that server is sent with a file of a run; nil = it does not take it.
    func fields(for file: RunFile) -> [String: String]? { writer.fields(for: file, in: context) }

    /// The rows of a note: one for most notes; none for progress, which `commit` writes.
    package static func events(_ note: StudyNote) -> [StudyEvent] {
        switch note {
        case .row(let event): [event]
        case .prompted(let occurrence): [.prompted(occurrence: OccurrenceRecord(occurrence))]
        case .pressed(let edge):
            [
                edge.isPressed
                    ? .pressed(button: edge.button, at: edge.time) : .released(button: edge.button, at: edge.time)
            ]
        case .progressed: []  // needs the time, which `commit` has
        case .submitted(let task, let opening, let submission):
            [.submitted(task: task, opening: opening, submission: SubmissionRecord(submission))]
        case .runLeft(let task, let opening, _): [.runLeft(task: task, opening: opening)]
        case .concluded(let occurrence, let outcome):
            [.concluded(occurrence: OccurrenceRecord(occurrence), outcome: outcome)]
        case .returned(let ids):
            // A row of the log holds at most 256 ids.
            stride(from: 0, to: ids.count, by: 256).map { start in
                .occurrencesReturned(occurrences: Array(ids[start..<min(start + 256, ids.count)]))
            }
        }
    }
}
