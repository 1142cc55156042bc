// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// A platform whose studies ask some questions every morning, and again an hour after each message of the team:
/// `{"postcard":"S1","url":"https://example.org/in","consent":"We keep your answers.","ask":["Did you sleep well?"],"euros":2}`.
package struct PostcardPlatform: StudyPlatform {
    package static let name = PlatformName(rawValue: "postcard")
    package static let title = "Postcard"
    /// A morning is a morning wherever the participant is.
    package static let planZone = PlanZone.participant

    package init() {}

    package var reader: any StudyReader { PostcardReader() }
    package var wire: any StudyWire { PostcardWire() }
}

/// From the file to the study; whatever is wrong is noted with its path and line, and reading goes on to the next problem.
struct PostcardReader: StudyReader {
    func recognises(_ source: StudySource) -> Bool {
        source.files.contains { (try? JSONNode($0.bytes))?["postcard"] != nil }
    }

    func decode(_ source: StudySource) throws(StudyFormatError) -> StudyProtocol {
        let root = JSONPlace(root: try JSONNode(study: source.files[0].bytes))
        var findings = Findings()
        let id = findings.requiredText("postcard", in: root) ?? ""
        let url = findings.text("url", in: root)
        let steps = findings.texts("ask", in: root).enumerated().map { index, question in
            Step(key: "q\(index + 1)", text: question.text, format: .yesNo(yes: "yes", no: "no"), isRequired: true)
        }
        try findings.finish()
        var texts = StudyTexts()
        texts.consent = findings.text("consent", in: root)
        let reward = root.member("euros").flatMap { _ in findings.number("euros", in: root) }
        let task = StudyTask(
            key: "card", index: 0, wireName: "card", name: "Postcard",
            prompt: PromptText(title: "Postcard", message: ""), condition: nil, schedule: PostcardSchedule(),
            content: Questionnaire(steps))
        var study = StudyProtocol(
            platform: PostcardPlatform.name, studyID: id, texts: texts, conditions: [], tasks: [task],
            postURL: url, writer: PostcardWriter(), remarks: findings.remarks)
        study.reward = reward.map { euros in
            RewardTerms(
                afterDays: 30, instructions: "Send the code to the team.",
                amount: RewardTerms.Amount(base: 0, most: 0, currency: "EUR", note: ""),
                shares: [RewardTerms.Share(task: task.key, least: 0, rate: euros, most: 30 * euros)])
        }
        return study
    }
}

/// At nine, for thirty days, and an hour after each message. Pure: asked again it gives the same.
struct PostcardSchedule: Schedule {
    func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        (1...30).map { number in
            let day = context.enrolment.local.date.adding(days: number)
            let local = LocalDateTime(day, LocalTime(hour: 9, minute: 0) ?? .midnight)
            return card(task, "\(number)", number, local, context)
        }
    }

    func raised(by happening: StudyHappening, of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        guard happening.name == .message else { return [] }
        let local = context.zone.local(happening.moment + .seconds(3_600))
        return [card(task, "message@\(happening.moment.milliseconds)", 0, local, context)]
    }

    private func card(
        _ task: StudyTask, _ id: String, _ number: Int, _ local: LocalDateTime, _ context: ScheduleContext
    ) -> Occurrence {
        let (due, resolution) = context.zone.resolve(local)
        return Occurrence(
            id: "\(task.key)/\(id)", task: task.key, taskIndex: task.index, number: number, local: local,
            due: due, expires: due + .seconds(3_600), resolution: resolution)
    }
}

/// From what happened to the bytes of a request. Built once and kept: pure, too. What only this platform knows of a
/// study, the reader would hand to it.
struct PostcardWriter: ReportWriter {
    func requests(for report: Report, at now: Instant, in context: WireContext) -> [WireRequest] {
        guard case .submitted(let submission) = report else { return [] }
        let body = JSONText.object([
            .init("who", .string(context.enrolment.participant.text)),
            .init("answers", answers(submission, in: context)),
        ])
        return [
            WireRequest(
                method: "POST", url: context.address,
                headers: [.init(name: "Content-Type", value: "application/json")], body: Array(body.text.utf8))
        ]
    }

    func answers(_ submission: Submission, in context: WireContext) -> JSONText {
        .object(
            submission.order.map { key in
                guard case .boolean(let yes)? = submission.answers[key] else { return .init(key, .null) }
                return .init(key, .boolean(yes))
            })
    }
}

/// From an answer of the server to what it means.
struct PostcardWire: StudyWire {
    func verdict(status: Int, body: [UInt8]) -> Verdict {
        status == 200
            ? .delivered(receipt: "200") : .retry(reason: "the server answered with status \(status), not 200")
    }
}
