// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Datasets of ESMira: `POST api/datasets.php`, one dataset in each request.
///
/// The app gathers what waits into one request; a single malformed entry then makes the server
/// throw all of it away, and the app splits it. One in each needs no splitting. The server refuses
/// what comes within a second of the request before of the same user and study, and each refusal
/// starts the second anew: `minimumInterval` keeps clear of it.
package struct ESMiraWire: StudyWire {
    /// What `serverVersion` of a request says: the protocol that is spoken. Servers
    /// want at least 7.
    static let level: Int64 = 11
    /// What `appVersion` says; the server takes no `/`, `+`, `;` or `:` in it.
    static let appVersion = AppVersion.text
    /// What `appType` says; the app itself says Android or iOS.
    static let appType = "studyd"

    package init() {}

    /// Every row is stored as often as it comes.
    package var storesTwice: Bool { true }

    /// Over the server's 1000 ms.
    package var minimumInterval: Duration { .milliseconds(1_500) }

    /// One dataset for each event that the study wants uploaded.
    package func requests(for report: Report, at now: Instant, in context: WireContext) -> [WireRequest] {
        if case .logged(let task, let log) = report { return self.log(log, of: task, at: now, in: context) }
        guard let own = context.study.own as? ESMiraStudy else { return [] }
        if case .submitted(let submission) = report, context.study.task(submission.task)?.isLetter == true {
            return letter(submission, own, in: context)
        }
        guard let event = event(report, at: now, in: context), own.uploads(event.type)
        else { return [] }
        return [request(event, own, at: now, in: context)]
    }

    /// As in the dataset, without what the app adds.
    package func answers(_ submission: Submission, in context: WireContext) -> JSONText {
        guard let own = context.study.task(submission.task)?.own as? ESMiraQuestionnaire else { return .object([]) }
        return .object(Self.members(own.fields(submission.answers)))
    }

    /// Recordings that answer an input for sound; those of spoken texts are nothing the
    /// server waits for.
    package func fields(for file: RunFile, in context: WireContext) -> [String: String]? {
        guard let own = context.study.own as? ESMiraStudy, own.uploads("questionnaire"), let step = file.step,
            let questionnaire = context.study.task(file.task)?.own as? ESMiraQuestionnaire,
            questionnaire.inputs.contains(where: { $0.sendsFile(of: step) })
        else { return nil }
        return ESMiraFile.fields(of: file.name, in: context, study: own.id)
    }

    /// The file in a container that the server takes.
    package func request(carrying file: [UInt8], with fields: [String: String]) throws -> WireRequest {
        try ESMiraFile.request(carrying: file, with: fields)
    }

    private struct Event {
        let type: String
        var task: String?
        var fields: [ESMiraInput.Field] = []
    }

    private func event(_ report: Report, at now: Instant, in context: WireContext) -> Event? {
        func planned(_ type: String, _ occurrence: Occurrence, _ moment: Instant) -> Event {
            Event(
                type: type, task: occurrence.task, fields: [("actionScheduledTo", String(moment.milliseconds))])
        }
        switch report {
        case .enrolled: return Event(type: "joined")
        case .withdrawn: return Event(type: "quit")
        case .prompted(let occurrence): return planned("invitation", occurrence, occurrence.due)
        case .planned(let task, let due):
            return Event(
                type: "schedule_planned", task: task, fields: [("actionScheduledTo", String(due.milliseconds))])
        case .unplanned(let task, let due):
            return Event(
                type: "schedule_removed", task: task, fields: [("actionScheduledTo", String(due.milliseconds))])
        case .reminded(let occurrence): return planned("reminder", occurrence, occurrence.lastSignal(before: now))
        case .noticed(let occurrence): return planned(occurrence.notice?.kind ?? "", occurrence, occurrence.due)
        case .unanswered(let occurrence):
            return planned("invitation_missed", occurrence, occurrence.lastSignal(before: now))
        case .submitted(let submission):
            guard let own = context.study.task(submission.task)?.own as? ESMiraQuestionnaire else { return nil }
            return Event(
                type: "questionnaire", task: submission.task,
                fields: own.fields(submission.answers) + Self.course(submission, own))
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

    private static func course(_ submission: Submission, _ own: ESMiraQuestionnaire) -> [ESMiraInput.Field] {
        let prompt = submission.prompt ?? submission.occurrence
        let invited = prompt.isSignalled ? prompt.lastSignal(before: submission.submitted).milliseconds : 0
        let durations = submission.course.map(own.pageDurations) ?? [0]
        return [
            ("formDuration", String(durations.reduce(0, +))),
            ("pageDurations", durations.map(String.init).joined(separator: ",")), ("lastInvitation", String(invited)),
        ]
    }

    private static func members(_ fields: [ESMiraInput.Field]) -> [JSONText.Member] {
        fields.map { .init($0.name, .string($0.value)) }
    }

    private func request(
        _ event: Event, _ own: ESMiraStudy, at now: Instant, in context: WireContext
    ) -> WireRequest {
        let task = event.task.flatMap(context.study.task)
        let period = context.zone.period(at: now)
        let group = Int64(own.group(context.enrolment.condition))
        let device: [ESMiraInput.Field] = [("osVersion", "Linux"), ("model", "studyd"), ("manufacturer", "studyd")]
        let questionnaire = task?.own as? ESMiraQuestionnaire
        let dataset: [JSONText.Member] = [
            // Whatever the server echoes; unique as far as moments are.
            .init("dataSetId", .integer(now.milliseconds)), .init("studyId", .integer(Int64(own.id))),
            .init("serverVersion", .integer(Int64(own.serverVersion))),
            .init("studyVersion", .integer(Int64(own.version))),
            .init("studySubVersion", .integer(Int64(own.subVersion))), .init("studyLang", .string(own.language)),
            .init("group", .integer(group)), .init("accessKey", .string(own.accessKey)),
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
        let body = JSONText.object(
            Self.client(context.enrolment.participant.text) + [.init("dataset", .array([.object(dataset)]))])
        let base = context.postURL ?? context.study.postURL ?? ""
        return WireRequest(
            method: "POST", url: Self.address(base, "datasets"),
            headers: [.init(name: "Content-Type", value: "application/json;charset=UTF-8")],
            body: Array(body.text.utf8))
    }

    /// `MerlinLog.getLogString` of the app, posted as `Web.syncMerlinLogs` does.
    private func log(_ log: RunLog, of task: String, at now: Instant, in context: WireContext) -> [WireRequest] {
        guard let own = context.study.own as? ESMiraStudy else { return [] }
        let title = (context.study.task(task)?.own as? ESMiraQuestionnaire)?.title ?? ""
        let text = """
            \(log.kind)

            \(Self.shortText(context.zone.local(now)))
            App: \(Self.appType) \(Self.appVersion); Merlin-version: 1; studyd (studyd); OS-version: Linux
            User: \(context.enrolment.participant.text)
            Questionnaire: \(title)
            Context: \(log.place)

            \(log.message.prefix(10_000))

            """
        let body = JSONText.object(
            Self.client(context.enrolment.participant.text) + [
                .init("studyId", .integer(Int64(own.id))), .init("content", .string(text)),
            ])
        return [
            WireRequest(
                method: "POST",
                url: Self.address(context.postURL ?? context.study.postURL ?? "", Self.logEndpoint),
                headers: [.init(name: "Content-Type", value: "application/json;charset=UTF-8")],
                body: Array(body.text.utf8))
        ]
    }

    private static let logEndpoint = "save_merlin_log"

    /// What every request says of who sends it.
    static func client(_ user: String) -> [JSONText.Member] {
        [
            .init("userId", .string(user)), .init("appVersion", .string(appVersion)),
            .init("appType", .string(appType)), .init("serverVersion", .integer(level)),
        ]
    }

    /// Empty stays empty: such requests wait until an address is given.
    static func address(_ base: String, _ name: String) -> String {
        base.isEmpty ? "" : base + (base.hasSuffix("/") ? "" : "/") + "api/\(name).php"
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

extension ESMiraWire {
    /// Files have answers of their own.
    package func verdict(status: Int, body: [UInt8], to request: WireRequest) -> Verdict {
        if request.url.hasSuffix("/api/\(ESMiraFile.endpoint).php") { return ESMiraFile.verdict(ESMiraAnswer(body)) }
        guard request.url.hasSuffix("/api/\(Self.logEndpoint).php"), case .dataset = ESMiraAnswer(body) else {
            return verdict(status: status, body: body)
        }
        return .delivered(receipt: "200 success")
    }

    /// Every answer has status 200: what it means says its body. What is not the server's JSON, a
    /// failure of PHP or a page of somebody else's, is tried again.
    package func verdict(status: Int, body: [UInt8]) -> Verdict {
        let answer = ESMiraAnswer(body)
        switch answer {
        case .unreadable(let why): return .retry(reason: status == 200 ? why : "status \(status): \(why)")
        case .failed(let error):
            if error.contains("outdated") { return .refused(reason: ESMiraAnswer.outdated(error)) }
            // A dataset that the server cannot even read is refused whole; it would be for ever.
            let isForGood = ["Unexpected", "not valid", "Missing data", "TypeError", "too short", "User is faulty"]
                .contains { error.contains($0) }
            return isForGood ? .refused(reason: error) : .retry(reason: error)
        case .dataset(let dataset):
            // Of a message there is nothing more to say.
            if case .boolean(true) = dataset.content { return .delivered(receipt: "200 success") }
            guard case .array(let states)? = dataset["states"]?.content, let state = states.first else {
                return .retry(reason: "the server's answer names no dataset")
            }
            if case .boolean(true)? = state["success"]?.content { return .delivered(receipt: "200 success") }
            guard case .string(let error)? = state["error"]?.content else {
                return .retry(reason: "the server's answer does not say why the dataset was not accepted")
            }
            // Too soon, closed for a while, or its disk: everything else stays wrong however
            // often it is sent.
            let isForNow = ["Too many requests", "locked", "Internal Server Error"].contains { error.contains($0) }
            return isForNow ? .retry(reason: error) : .refused(reason: error)
        }
    }
}
