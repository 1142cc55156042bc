// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformKit
import Study

/// schema's posts: one record per request, `multipart/form-data`, without authentication; and what momenTUM's
/// server gets that schema's does not. `EventEncoder` asks it for the requests of each event.
///
/// Source for momenTUM: momenTUM-app e14a806, `src/app/services/data/data.service.ts`; its server
/// takes the fields in any order (momenTUM-json-maker db3f215, `api/src/redcap.rs`, `struct
/// Response` and `struct Log`).
package struct SchemaWriter: ReportWriter, Hashable {
    /// The app itself says `android`, `iphone`, `ipad`,
    /// `desktop` or `mobileweb`.
    private static let platform = "studyd"

    /// The study is one of momenTUM, whose server gets other fields.
    let isMomentum: Bool
    /// Log records are sent, as by schema's app; momenTUM's sends none.
    let sendsLogs: Bool

    /// One log record for every report that the app logs; for a finished run its answers come first.
    ///
    /// A study without `post_url` gives requests with an empty address: they wait
    /// until one is given.
    package func requests(for report: Report, at now: Instant, in context: WireContext) -> [WireRequest] {
        var requests: [WireRequest] = []
        if case .submitted(let submission) = report {
            requests.append(request(response(submission, in: context), to: address(context, "response")))
        }
        if sendsLogs, let fields = log(report, at: now, in: context) {
            requests.append(request(fields, to: logAddress(fields, in: context)))
        }
        return requests
    }

    private typealias Fields = [(name: String, value: String)]

    private func request(_ fields: Fields, to address: String) -> WireRequest {
        let body = MultipartBody(fields)
        return WireRequest(
            method: "POST", url: address,
            headers: [.init(name: "Content-Type", value: body.contentType)], body: body.bytes)
    }

    private func identity(_ type: String, _ context: WireContext) -> Fields {
        [
            ("data_type", type), ("user_id", context.enrolment.participant.text), ("study_id", context.study.studyID),
        ]
    }

    private func response(_ submission: Submission, in context: WireContext) -> Fields {
        let task = context.study.task(submission.task)
        let moduleID: Fields = isMomentum ? [("module_id", submission.task)] : []
        return identity(dataType(task), context) + [
            ("module_index", String(task?.index ?? submission.occurrence.taskIndex))
        ] + moduleID + [
            ("module_name", task?.wireName ?? ""),
            ("responses", answers(submission, in: context).text),
            ("response_time", ZonedText(submission.submitted, in: context.zone).description),
            ("response_time_in_ms", String(submission.submitted.milliseconds)),
            ("alert_time", ZonedText(submission.occurrence.due, in: context.zone).description),
            ("platform", Self.platform),
        ] + clockError(submission, in: context)
    }

    /// By how many seconds the device's clock may be wrong: a field of our own. schema's sample server keeps
    /// whatever is posted (schema 45fd178, `_examples/demo_post.php`); momenTUM's servers take what they name.
    private func clockError(_ submission: Submission, in context: WireContext) -> Fields {
        guard let error = submission.clockError, !isMomentum else { return [] }
        let milliseconds = Int64((min(error, 1e9) * 1000).rounded(.up))
        return [("clock_error_in_s", "\(milliseconds / 1000).\((milliseconds % 1000).padded(3))")]
    }

    /// Every question of the module in the order of this opening, hidden ones,
    /// instructions and media too.
    package func answers(_ submission: Submission, in context: WireContext) -> JSONText {
        guard let task = context.study.task(submission.task) else { return .object([]) }
        let steps = Dictionary(task.content.steps.map { ($0.key, $0) }) { first, _ in first }
        var names: [String] = []
        var answers: [String: JSONText] = [:]
        for key in submission.order {
            let name = steps[key]?.wireKey ?? key
            let answer = answer(to: key, steps[key]?.format ?? .instruction, submission, in: context)
            // Of several questions of one id the last one's answer is kept, in the place of the
            // first: as in a JavaScript object.
            if answers.updateValue(answer, forKey: name) == nil { names.append(name) }
        }
        return .object(names.map { .init($0, answers[$0] ?? .string("")) })
    }

    /// A question that was drawn from its group and not answered has the number 1.
    private func answer(
        to key: String, _ format: AnswerFormat, _ submission: Submission, in context: WireContext
    ) -> JSONText {
        let value = submission.answers[key]
        if value == nil, submission.drawn.contains(key) { return .number(1) }
        return SchemaAnswer(value, to: format, in: context.zone, isMomentum: isMomentum).json
    }

    /// Nil for what the app does not log.
    private func log(_ report: Report, at now: Instant, in context: WireContext) -> Fields? {
        guard let (index, page, event) = place(of: report, in: context) else { return nil }
        return identity("log", context) + [
            ("module_index", String(index)), ("page", page), ("event", event),
            ("timestamp", ZonedText(now, in: context.zone).description),
            ("timestamp_in_ms", String(now.milliseconds)), ("platform", Self.platform),
        ]
    }

    /// The app's page and event; the module only for surveys and notifications, else -1.
    private func place(of report: Report, in context: WireContext) -> (index: Int, page: String, event: String)? {
        func index(_ task: String) -> Int { context.study.task(task)?.index ?? -1 }
        return switch report {
        case .enrolled: (-1, "home", "enrol")
        case .listOpened: (-1, "home", "entry")
        case .listLeft: (-1, "home", "exit")
        case .graphsOpened: (-1, "my-progress", "entry")
        case .graphsLeft: (-1, "my-progress", "exit")
        case .menuOpened: (-1, "settings", "entry")
        case .menuLeft: (-1, "settings", "exit")
        case .withdrawn: (-1, "settings", "withdraw")
        case .promptTaken(let occurrence):
            (occurrence.taskIndex, "notification-" + ZonedText(occurrence.due, in: context.zone).description, "click")
        case .runOpened(let task): (index(task), "survey", "entry")
        case .runLeft(let task): (index(task), "survey", "exit")
        case .submitted(let submission): (index(submission.task), "survey", "submit")
        case .prompted, .planned, .unplanned, .reminded, .unanswered, .logged, .noticed, .timesMoved, .updated,
            .rewardAsked:
            nil
        }
    }

    /// The app puts a slash and the name behind whatever the study has as its address.
    private func address(_ context: WireContext, _ name: String) -> String {
        context.address.isEmpty || !isMomentum ? context.address : context.address + "/" + name
    }

    /// Where a log goes. momenTUM's server of 2023 reads its fields from the form, that of 2025
    /// from the query, and each ignores the other: FastAPI makes query parameters of the model
    /// in `save_log(log: LogEntry = Depends())`, and its other `/log`, which reads JSON, is not
    /// included in its `main.py` (momenTUM-designer 513e871, `backend/routers/redcap.py`, `logs.py`).
    ///
    /// The server of 2025 has its addresses below `/api/v2`, and its log beside the second address for answers,
    /// `/redcap/response` (`main.py`).
    private func logAddress(_ fields: Fields, in context: WireContext) -> String {
        let isLater = context.address.hasSuffix("/api/v2")
        let address = address(context, isLater ? "redcap/log" : "log")
        guard isMomentum, !address.isEmpty else { return address }
        return address + "?" + fields.map { "\($0.name)=\(PercentCode.encoded($0.value))" }.joined(separator: "&")
    }

    /// The app's own name for a module's results.
    private func dataType(_ task: StudyTask?) -> String {
        guard case .active(let active)? = task?.content.steps.first?.format, active.rules is VigilanceRules else {
            return "survey_response"
        }
        return "pvt_response"
    }
}
