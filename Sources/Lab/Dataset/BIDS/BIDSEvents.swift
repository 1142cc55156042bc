// SPDX-License-Identifier: Apache-2.0
import Base
import Exports

/// Something that happened, as a row of an events file.
struct BIDSEvent {
    enum Kind: String, CaseIterable {
        case prompt, task, answer, press
    }

    let kind: Kind
    let time: StudyTime
    let duration: Double?
    /// By the name of a column, one of `BIDSEvents.columns` or a question's; what has another name is
    /// not written. What is not there is `n/a`.
    let cells: [String: String]
}

/// Everything that a participant was asked, did and pressed in one enrolment, in order: `BIDSExport` makes one
/// for each session and writes its rows as `…_events.tsv`.
struct BIDSEvents {
    private(set) var events: [BIDSEvent] = []
    private let questions: BIDSQuestions

    /// `questions` are those of the study.
    init(
        _ record: ParticipantRecord, enrolment: String?, presses: [(press: ButtonPress, time: StudyTime)],
        _ questions: BIDSQuestions
    ) {
        self.questions = questions
        for prompt in record.prompts where prompt.enrolment == enrolment { add(prompt) }
        // Names of occurrences are unique within an enrolment.
        let submitted = Set(record.submissions.filter { $0.enrolment == enrolment }.compactMap(\.prompt))
        for prompt in record.prompts where prompt.enrolment == enrolment && !submitted.contains(prompt.occurrence) {
            addRun(of: prompt)
        }
        // What came twice word for word is one submission.
        for submission in record.submissions where submission.enrolment == enrolment && submission.repeats == nil {
            add(submission)
        }
        for (press, time) in presses { add(press, at: time) }
        let order = BIDSEvent.Kind.allCases
        // Equal times stay in the order of the record.
        let sorted = events.enumerated().sorted { left, right in
            let (a, b) = (left.element, right.element)
            let (first, second) = (order.firstIndex(of: a.kind) ?? 0, order.firstIndex(of: b.kind) ?? 0)
            return (a.time.instant.nanoseconds, first, left.offset) < (b.time.instant.nanoseconds, second, right.offset)
        }
        events = sorted.map(\.element)
    }

    private mutating func add(_ prompt: StudyPrompt) {
        let begin = prompt.presented ?? prompt.due
        add(
            .prompt, at: begin, until: prompt.ended,
            [
                "task": prompt.task, "occurrence": prompt.occurrence, "due": prompt.due.utc,
                "presented": prompt.presented?.utc, "opened": prompt.opened?.utc, "ended": prompt.ended?.utc,
                "outcome": prompt.outcome, "reason": prompt.reason,
                "clock_error": prompt.clockError.map { BIDSCell.number($0, 3) },
            ])
    }

    /// Adds the run of a prompt that was opened and never submitted.
    private mutating func addRun(of prompt: StudyPrompt) {
        guard let opened = prompt.opened else { return }
        add(
            .task, at: opened, until: Self.endOfRun(of: prompt),
            ["task": prompt.task, "occurrence": prompt.occurrence, "outcome": prompt.outcome, "reason": prompt.reason])
    }

    /// The device logs at its next start what it left when its power was cut.
    private static func endOfRun(of prompt: StudyPrompt) -> StudyTime? {
        guard let left = prompt.left else { return prompt.isAnswered ? prompt.ended : nil }
        return prompt.ended.flatMap { $0.instant < left.instant ? $0 : nil } ?? left
    }

    private mutating func add(_ submission: StudySubmission) {
        let error = submission.clockError.map { BIDSCell.number($0, 3) }
        add(
            .task, at: submission.opened ?? submission.answered,
            until: submission.opened.map { _ in submission.answered },
            [
                "task": submission.task, "occurrence": submission.prompt, "submission": submission.id,
                "outcome": "submitted", "clock_error": error, "task_version": submission.taskVersion,
            ])
        for answer in submission.answers where !answer.value.isEmpty {
            var cells = [
                "task": submission.task, "occurrence": submission.prompt, "submission": submission.id,
                "item": answer.item, "presses": answer.presses.map(String.init), "clock_error": error,
                "task_version": submission.taskVersion,
            ]
            if let column = questions.column(answer.item, of: submission.task) {
                cells[column] = questions.cell(answer.value, in: column)
            }
            let time = answer.answered ?? submission.answered
            add(.answer, at: time, until: time, cells)
        }
    }

    private mutating func add(_ press: ButtonPress, at time: StudyTime) {
        events.append(
            BIDSEvent(
                kind: .press, time: time, duration: press.duration,
                cells: ["button": press.button, "meaning": press.meaning, "repeats": "\(press.repeats)"]))
    }

    private mutating func add(
        _ kind: BIDSEvent.Kind, at time: StudyTime, until end: StudyTime?, _ cells: [String: String?]
    ) {
        let duration = end.map { ($0.instant - time.instant).seconds }
        events.append(
            BIDSEvent(
                kind: kind, time: time, duration: duration.flatMap { $0 >= 0 ? $0 : nil },
                cells: cells.compactMapValues(\.self)))
    }

    static let columns: [BIDSTable.Column] = [
        .init(
            "onset", "When it began, in seconds since the time of acquisition that *_scans.tsv has of the file.",
            units: "s"),
        .init("duration", "How long it took; of a press, until the button was let go.", units: "s"),
        .init(
            "trial_type", "What happened.",
            levels: [
                ("prompt", "The participant was asked, or was to be asked, to do a task."),
                ("task", "A task was open, from its first question until it was submitted or left."),
                ("answer", "One question was answered; the answer is in the question's own column."),
                ("press", "A button was pressed."),
            ]),
        .init("time", "When it began, UTC."),
        .init("time_local", "The same by the participant's wall clock, where that is known."),
        .init("task", "The task's name in the study."),
        .init("occurrence", "The prompt's name, unique within an enrolment; also of what it led to."),
        .init("submission", "The submission's name: equal in the row of a task and of its answers."),
        .init("due", "When the prompt was planned, UTC."),
        .init("presented", "When its signal was given, UTC."),
        .init("opened", "When its questions were opened for the first time, UTC."),
        .init("ended", "When it came to its end, UTC."),
        .init(
            "outcome",
            "The prompt's end: completed, expired, missed, declined or interrupted; of a task also submitted."
        ),
        .init("reason", "Why a prompt was missed; not-signalled: it was open without a signal."),
        .init("item", "The question's name in the study."),
        .init("task_version", "The version of the task's questions that were answered, where it is known."),
        .init("presses", "How often buttons were pressed for the answer."),
        .init("button", "The button's name on the board."),
        .init("meaning", "What the press was taken for."),
        .init("repeats", "How often more the meaning was repeated while the button was held."),
        .init("clock_error", "How far off the times can be, one side.", units: "s"),
    ]

    /// Names that no question's column may have: those above, and those of columns and of members beside an
    /// events file that BIDS gives another meaning (bids-specification, schema/rules: tabular_data/events.yaml,
    /// sidecars/events.yaml, sidecars/beh.yaml).
    static let reserved =
        columns.map(\.name) + [
            "response_time", "HED", "stim_file", "channel", "StimulusPresentation", "VisionCorrection", "TaskName",
            "Instructions", "TaskDescription", "CogAtlasID", "CogPOID", "InstitutionName", "InstitutionAddress",
            "InstitutionalDepartmentName",
        ]

    /// The rows of a table whose onsets count from `zero`, with its head.
    func text(since zero: Instant, _ isWanted: (BIDSEvent) -> Bool = { _ in true }) -> String {
        let names = Self.columns.map(\.name) + questions.columns
        var text = BIDSCell.line(names)
        for event in events where isWanted(event) {
            var cells = event.cells
            cells["onset"] = BIDSCell.number((event.time.instant - zero).seconds, 6)
            cells["duration"] = BIDSCell.number(event.duration, 6)
            cells["trial_type"] = event.kind.rawValue
            cells["time"] = event.time.utc
            cells["time_local"] = event.time.local
            text += BIDSCell.line(names.map { BIDSCell.text(cells[$0]) })
        }
        return text
    }
}
