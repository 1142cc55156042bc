// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// A platform whose studies ask some questions every morning: `{"postcard":"S1","url":"https://example.org/in","ask":["Did you sleep well?"]}`.
struct PostcardPlatform: StudyPlatform {
    static let name = PlatformName(rawValue: "postcard")
    static let title = "Postcard"
    /// A morning is a morning wherever the participant is.
    static let planZone = PlanZone.participant

    var reader: any StudyReader { PostcardReader() }
    var wire: any StudyWire { PostcardWire() }
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
        let section = Section(name: "", steps: steps, shufflesSteps: false)
        let task = StudyTask(
            key: "card", index: 0, wireName: "card", name: "Postcard",
            prompt: PromptText(title: "Postcard", message: ""), condition: nil, schedule: PostcardSchedule(),
            content: .questionnaire(Questionnaire(sections: [section], shufflesSections: false, submitText: "")))
        return StudyProtocol(
            platform: PostcardPlatform.name, studyID: id, texts: StudyTexts(), conditions: [], tasks: [task],
            postURL: url, remarks: findings.remarks)
    }
}

/// At nine, for thirty days. Pure: asked again it gives the same.
struct PostcardSchedule: Schedule {
    func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        (1...30).map { number in
            let day = context.enrolment.local.date.adding(days: number)
            let local = LocalDateTime(day, LocalTime(hour: 9, minute: 0) ?? .midnight)
            let (due, resolution) = context.zone.resolve(local)
            return Occurrence(
                id: "\(task.key)/\(number)", task: task.key, taskIndex: task.index, number: number, local: local,
                due: due, expires: due + .seconds(3_600), resolution: resolution)
        }
    }
}

/// From what happened to the bytes of a request, and from an answer to what it means. Built once and kept: pure, too.
struct PostcardWire: StudyWire {
    func requests(for report: Report, at now: Instant, in context: WireContext) -> [WireRequest] {
        guard case .submitted(let submission) = report else { return [] }
        let body = JSONText.object([
            .init("who", .string(context.enrolment.participant.text)),
            .init("answers", answers(submission, in: context)),
        ])
        return [
            WireRequest(
                method: "POST", url: context.postURL ?? context.study.postURL ?? "",
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

    func verdict(status: Int, body: [UInt8]) -> Verdict {
        status == 200
            ? .delivered(receipt: "200") : .retry(reason: "the server answered with status \(status), not 200")
    }
}
