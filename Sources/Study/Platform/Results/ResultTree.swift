// SPDX-License-Identifier: Apache-2.0
import Base

/// One submitted run as a tree of results, as SageResearch's clients write it: the assessment, its steps as
/// they were presented, and what was recorded meanwhile. `RunResult` makes it, and the agent keeps it as
/// JSON.
///
/// Dates are ISO 8601 with milliseconds and a zone with a colon. Source: SageResearch v4 (`type`
/// `assessment`); the results in it also fit the published JSON schema of v3.
/// `clock` and `clockError` are ours.
package struct ResultTree: Sendable {
    /// A file that belongs to the run.
    package struct File: Sendable, Hashable {
        /// The recorder's or the step's.
        package let identifier: String
        /// Its first sample; nil while no clock is known.
        package let startDate: Instant?
        /// Its last sample; nil while no clock is known.
        package let endDate: Instant?
        /// CLOCK_MONOTONIC of the first sample, in seconds.
        package let startUptime: Double
        /// Within the folder of recordings.
        package let relativePath: String
        package let contentType: String
    }

    /// Something that was to be recorded and was not.
    package struct Failure: Sendable, Hashable {
        /// The recorder's; with the kind, where it records several.
        package let identifier: String
        package let startDate: Instant
        package let endDate: Instant
        package let message: String
        /// Tells the reasons apart: 1 = not measured here, 2 = measured, and no file.
        package let code: Int
    }

    /// The domain of every error result.
    private static let errorDomain = "studyd.recorder"

    private let submission: Submission
    private let course: RunCourse
    private let task: StudyTask
    private let version: String
    private let runUUID: String
    private let zone: Zone
    private let clockError: Double?
    private let files: [File]
    private let failures: [Failure]
    private let memos: [String: File]

    /// The tree of that submission; nil where its course is not known. `memos` are spoken answers
    /// by their ids; `version` is the study's word for the state of its file, and may be empty;
    /// `clockError` is how far off its dates can be, one side, in seconds, and nil while the clock
    /// is not trusted.
    package init?(
        _ submission: Submission, of task: StudyTask, version: String = "", runUUID: String, zone: Zone,
        clockError: Double? = nil,
        files: [File] = [], failures: [Failure] = [], memos: [String: File] = [:]
    ) {
        guard let course = submission.course else { return nil }
        self.submission = submission
        self.course = course
        self.task = task
        self.version = version
        self.runUUID = runUUID
        self.zone = zone
        self.clockError = clockError
        self.files = files
        self.failures = failures
        self.memos = memos
    }

    package var json: JSONText {
        .object([
            "type": .string("assessment"), "identifier": .string(task.key), "assessmentIdentifier": .string(task.key),
            "versionString": .string(version), "taskRunUUID": .string(runUUID), "startDate": date(course.began),
            "endDate": date(course.ended), "stepHistory": .array(history), "asyncResults": .array(asyncResults),
            "path": .array(path), "clock": .string(clockError == nil ? "unknown" : "anchored"),
            "clockError": clockError.map { .number($0) },
        ])
    }

    private func date(_ instant: Instant) -> JSONText { .string(Self.date(instant, in: zone)) }

    /// `2018-01-30T15:13:20.597-02:30`.
    private static func date(_ instant: Instant, in zone: Zone) -> String {
        let text = instant.rfc3339(in: zone, fractionDigits: 3)
        return text.hasSuffix("Z") ? text.dropLast() + "+00:00" : text
    }

    /// One result for each presentation of a step; presentations of a step in direct succession have one.
    private var history: [JSONText] {
        let steps = task.stepsByKey
        let last = Dictionary(course.visits.enumerated().map { ($1.step, $0) }) { $1 }
        var history: [(step: String, json: JSONText)] = []
        for (index, visit) in course.visits.enumerated() {
            if history.last?.step == visit.step { history.removeLast() }
            history.append(
                (visit.step, result(of: visit, at: index, steps[visit.step], isLast: last[visit.step] == index)))
        }
        return history.map(\.json)
    }

    /// Only the last answer to a step is known.
    private func result(of visit: RunCourse.Visit, at index: Int, _ step: Step?, isLast: Bool) -> JSONText {
        let next = course.visits.dropFirst(index + 1).first?.times.presented
        let times: [JSONText.Member] = [
            .init("identifier", .string(visit.step)), .init("startDate", date(visit.times.presented)),
            .init("endDate", date(visit.times.answered ?? next ?? course.ended)),
        ]
        guard let step, step.format.isQuestion, isLast else { return .object([.init("type", .string("base"))] + times) }
        if case .recording(let id)? = submission.answers[visit.step] {
            return .object([.init("type", .string("file"))] + times + (memos[id].map(Self.content) ?? []))
        }
        return .object(
            [.init("type", .string("answer"))] + times + ResultAnswer(submission.answers[visit.step], to: step).members
                + [.init("questionText", .string(step.text))])
    }

    private static func content(_ file: File) -> [JSONText.Member] {
        [
            .init("startUptime", .number(file.startUptime)), .init("relativePath", .string(file.relativePath)),
            .init("contentType", .string(file.contentType)),
        ]
    }

    /// What was recorded beside the steps: files, then failures. Identifiers that would repeat are numbered.
    private var asyncResults: [JSONText] {
        var seen: [String: Int] = [:]
        func unique(_ identifier: String) -> JSONText.Member {
            seen[identifier, default: 0] += 1
            let count = seen[identifier, default: 1]
            return .init("identifier", .string(count == 1 ? identifier : "\(identifier)_\(count)"))
        }
        let files = files.map { file in
            JSONText.object(
                [.init("type", .string("file")), unique(file.identifier)]
                    + [file.startDate.map { .init("startDate", date($0)) }].compactMap(\.self)
                    + [file.endDate.map { .init("endDate", date($0)) }].compactMap(\.self) + Self.content(file))
        }
        let failures = failures.map { failure in
            JSONText.object([
                .init("type", .string("error")), unique(failure.identifier),
                .init("startDate", date(failure.startDate)), .init("endDate", date(failure.endDate)),
                .init("errorDescription", .string(failure.message)),
                .init("errorDomain", .string(Self.errorDomain)), .init("errorCode", .integer(Int64(failure.code))),
            ])
        }
        return files + failures
    }

    /// The steps in the order in which they were visited; backward = earlier in the run's order than the one
    /// before.
    private var path: [JSONText] {
        let places = Dictionary(submission.order.enumerated().map { ($1, $0) }) { first, _ in first }
        return course.visits.enumerated().map { index, visit in
            let last = index > 0 ? places[course.visits[index - 1].step] ?? 0 : -1
            let isBack = places[visit.step, default: last] < last
            return .object([
                .init("identifier", .string(visit.step)), .init("direction", .string(isBack ? "backward" : "forward")),
            ])
        }
    }
}
