// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Times

/// Results of FDA MyStudies: one JSON body for each run, posted to the Response server's `processResponse`.
///
/// The server only stores what it is sent, checks no run id and takes the same run twice: what must not be sent twice is the
/// outbox's affair. Its other acts (enrolment, withdrawal) are calls of the enroller, not reports.
public struct MyStudiesWire: StudyWire {
    /// The one wire there is.
    public init() {}

    /// A body for a submitted run, and the leave of who withdraws; the server is told nothing else.
    public func requests(for report: Report, at now: Instant, in context: WireContext) -> [WireRequest] {
        let base = context.postURL ?? context.study.postURL ?? ""
        let url = base.isEmpty || base.hasSuffix(".api") ? base : base + "/response-processResponse.api"
        if case .withdrawn = report { return withdrawal(url, context) }
        guard case .submitted(let submission) = report else { return [] }
        return [
            WireRequest(
                method: "POST", url: url, headers: [.init(name: "Content-Type", value: "application/json")],
                body: Array(body(submission, in: context).text.utf8))
        ]
    }

    /// What was sent stays at the server; deleting it is the study team's act, by the study's own rule.
    private func withdrawal(_ url: String, _ context: WireContext) -> [WireRequest] {
        let parts = url.split(separator: "processResponse", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return [] }
        let address = parts[0] + "withdrawFromStudy" + parts[1]
        let query = "?participantId=\(context.enrolment.participant.text)&delete=false"
        return [WireRequest(method: "POST", url: address + query, headers: [], body: [])]
    }

    /// 200 with `success`; 400 is what the server refuses for good; everything else is tried again.
    public func verdict(status: Int, body: [UInt8]) -> Verdict {
        let answer = try? JSONNode(body)
        let success = answer?["success"].map { node in if case .boolean(true) = node.content { true } else { false } }
        if status == 200, success ?? false { return .delivered(receipt: "200 success") }
        if status == 400 { return .refused(reason: Self.reason(answer) ?? "the server answered with status 400") }
        if status == 200 { return .retry(reason: "the server's answer does not say success") }
        return .retry(reason: "the server answered with status \(status), not 200")
    }

    /// Each step's result by its key, as on the wire.
    public func answers(_ submission: Submission, in context: WireContext) -> JSONText {
        let results = MyStudiesResults(submission, in: context)
        return .object(results.all.map { .init($0.key, $0.value ?? .null) })
    }

    private static func reason(_ answer: JSONNode?) -> String? {
        guard case .string(let text)? = answer?["exception"]?.content else { return nil }
        return String(text.prefix(500))
    }

    private func body(_ submission: Submission, in context: WireContext) -> JSONText {
        let results = MyStudiesResults(submission, in: context)
        let task = context.study.task(submission.task)
        let isActive = results.isActive
        var data: [JSONText.Member] = isActive ? [] : [.init("resultType", .string("questionnaire"))]
        data += [
            .init("startTime", .string(results.began)), .init("endTime", .string(results.ended)),
            .init("results", .array(results.all.map(results.json))),
        ]
        return .object([
            .init("type", .string(isActive ? "task" : "questionnaire")),
            .init(
                "metadata",
                .object([
                    .init("studyId", .string(context.study.studyID)), .init("activityId", .string(submission.task)),
                    .init("name", .string(task?.name ?? "")), .init("version", .string(task?.wireName ?? "")),
                    .init("activityRunId", .string(String(submission.run))),
                ])),
            .init("participantId", .string(context.enrolment.participant.text)),
            .init("data", .object(data)),
        ])
    }
}
