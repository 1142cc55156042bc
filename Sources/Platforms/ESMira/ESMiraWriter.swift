// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Turns what happens in a study into requests: one dataset in each, except a participant's message and the log
/// of a script, which have their own endpoints. `EventEncoder` calls it.
package struct ESMiraWriter: ReportWriter {
    let study: ESMiraStudy
    /// By the keys of their tasks.
    let questionnaires: [String: ESMiraQuestionnaire]

    /// One dataset for each event that the study wants uploaded.
    package func requests(for report: Report, at now: Instant, in context: WireContext) -> [WireRequest] {
        if case .logged(let task, let log) = report { return self.log(log, of: task, at: now, in: context) }
        if case .submitted(let submission) = report, context.study.task(submission.task)?.purpose == .message {
            return ESMiraMessageTask.requests(submission, study, in: context)
        }
        guard let event = event(report, at: now, in: context), study.uploads(event.type)
        else { return [] }
        return [request(event, at: now, in: context)]
    }

    package var tellsPlans: Bool { study.uploads("schedule_planned") || study.uploads("schedule_removed") }

    /// The answers as in the dataset, without the times that `course` adds.
    package func answers(_ submission: Submission, in context: WireContext) -> JSONText {
        guard let questionnaire = questionnaires[submission.task] else { return .object([]) }
        return .object(Self.members(questionnaire.fields(submission.answers)))
    }

    /// Nil for a recording that is not sent: the server takes only answers to `record_audio`, not spoken
    /// answers to text inputs.
    package func fields(for file: RunFile, in context: WireContext) -> [String: String]? {
        guard study.uploads("questionnaire"), let step = file.step, let questionnaire = questionnaires[file.task],
            questionnaire.inputs.contains(where: { $0.sendsFile(of: step) })
        else { return nil }
        return ESMiraFileUpload.fields(of: file.name, in: context, study: study.id)
    }

    private struct Event {
        /// The app's name for it, `eventType`.
        let type: String
        /// Key of the questionnaire that it is about; nil = of none.
        var task: String?
        var fields: [ESMiraInput.Field] = []
    }

    private func event(_ report: Report, at now: Instant, in context: WireContext) -> Event? {
        func scheduled(_ type: String, _ task: String, _ moment: Instant) -> Event {
            Event(type: type, task: task, fields: [("actionScheduledTo", String(moment.milliseconds))])
        }
        switch report {
        case .enrolled: return Event(type: "joined")
        case .withdrawn: return Event(type: "quit")
        case .prompted(let occurrence): return scheduled("invitation", occurrence.task, occurrence.due)
        case .planned(let task, let due): return scheduled("schedule_planned", task, due)
        case .unplanned(let task, let due): return scheduled("schedule_removed", task, due)
        case .reminded(let occurrence):
            return scheduled("reminder", occurrence.task, occurrence.lastSignal(before: now))
        case .noticed(let occurrence):
            return scheduled(occurrence.notice?.kind ?? "", occurrence.task, occurrence.due)
        case .unanswered(let occurrence):
            return scheduled("invitation_missed", occurrence.task, occurrence.lastSignal(before: now))
        case .submitted(let submission):
            guard let questionnaire = questionnaires[submission.task] else { return nil }
            return Event(
                type: "questionnaire", task: submission.task,
                fields: questionnaire.fields(submission.answers) + Self.course(submission, questionnaire))
        case .timesMoved(let task, let text):
            return Event(type: "schedule_changed", task: task, fields: [("newSchedule", text)])
        case .updated: return Event(type: "study_updated")
        case .rewardAsked: return Event(type: "requested_reward_code")
        case .graphsOpened: return Event(type: "statistic_viewed")
        case .listOpened, .listLeft, .graphsLeft, .menuOpened, .menuLeft, .promptTaken, .runOpened,
            .runLeft, .logged:
            return nil
        }
    }

    /// How long the run and its pages took, and when its prompt last signalled (0 = without a prompt): reminders
    /// end as the questionnaire is first opened.
    private static func course(_ submission: Submission, _ questionnaire: ESMiraQuestionnaire) -> [ESMiraInput.Field] {
        let prompt = submission.prompt ?? submission.occurrence
        let began = submission.course?.began ?? submission.submitted
        let opened = submission.firstOpened.map { min($0, began) } ?? began
        let invited = prompt.isSignalled ? prompt.lastSignal(before: opened).milliseconds : 0
        let durations = submission.course.map(questionnaire.pageDurations) ?? [0]
        return [
            (ESMiraQuestionnaire.durationKey, String(durations.reduce(0, +))),
            ("pageDurations", durations.map(String.init).joined(separator: ",")), ("lastInvitation", String(invited)),
        ]
    }

    private static func members(_ fields: [ESMiraInput.Field]) -> [JSONText.Member] {
        fields.map { .init($0.name, .string($0.value)) }
    }

    private func request(_ event: Event, at now: Instant, in context: WireContext) -> WireRequest {
        let period = context.zone.period(at: now)
        let group = Int64(study.group(context.enrolment.condition))
        let device: [ESMiraInput.Field] = [("osVersion", "Linux"), ("model", "studyd"), ("manufacturer", "studyd")]
        let questionnaire = event.task.flatMap { questionnaires[$0] }
        let dataset: [JSONText.Member] = [
            // The server only echoes it.
            .init("dataSetId", .integer(now.milliseconds)), .init("studyId", .integer(Int64(study.id))),
            .init("serverVersion", .integer(Int64(study.serverVersion))),
            .init("studyVersion", .integer(Int64(study.version))),
            .init("studySubVersion", .integer(Int64(study.subVersion))), .init("studyLang", .string(study.language)),
            .init("group", .integer(group)), .init("accessKey", .string(study.accessKey)),
            .init("questionnaireName", .string(questionnaire?.title ?? "")),
            .init("questionnaireInternalId", .integer(Int64(questionnaire?.internalID ?? -1))),
            .init("eventType", .string(event.type)), .init("timezone", .string(period.abbreviation)),
            .init("timezoneOffset", .integer(Int64(period.offset) * 1_000)),
            .init("responseTime", .integer(now.milliseconds)),
            .init("localDateTime", .string(Self.shortText(context.zone.local(now)))),
            // Anything else than 0 may be acknowledged and not stored.
            .init("token", .integer(0)), .init("reupload", .boolean(false)),
            .init("responses", .object(Self.members(event.fields + device))),
        ]
        return ESMiraWire.post(
            [.init("dataset", .array([.object(dataset)]))], by: context.enrolment.participant.text,
            to: ESMiraWire.address(context.address, "datasets"))
    }

    /// `MerlinLog.getLogString` of the app, posted as `Web.syncMerlinLogs` does.
    private func log(_ log: RunLog, of task: String, at now: Instant, in context: WireContext) -> [WireRequest] {
        let title = questionnaires[task]?.title ?? ""
        let text = """
            \(log.kind)

            \(Self.shortText(context.zone.local(now)))
            App: \(ESMiraWire.appType) \(ESMiraWire.appVersion); Merlin-version: 1; studyd (studyd); OS-version: Linux
            User: \(context.enrolment.participant.text)
            Questionnaire: \(title)
            Context: \(log.place)

            \(log.message.prefix(10_000))

            """
        return [
            ESMiraWire.post(
                [.init("studyId", .integer(Int64(study.id))), .init("content", .string(text))],
                by: context.enrolment.participant.text,
                to: ESMiraWire.address(context.address, ESMiraWire.logEndpoint))
        ]
    }

    /// `11/21/26 8:11 AM`: Java's short format of American English, as the app sends it.
    private static func shortText(_ moment: LocalDateTime) -> String {
        let day = moment.date.components
        let hour = moment.time.hour % 12
        return
            "\(day.month)/\(day.day)/\((day.year % 100).padded(2)) \(hour == 0 ? 12 : hour):\(moment.time.minute.padded(2)) "
            + (moment.time.hour < 12 ? "AM" : "PM")
    }
}

extension Occurrence {
    /// The time of its prompt, or of the last of its reminders that has come.
    fileprivate func lastSignal(before now: Instant) -> Instant { reminders.last { $0 <= now } ?? due }
}
