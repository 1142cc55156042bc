// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Results of FDA MyStudies: one JSON body for each run, posted to the Response server's `processResponse`.
/// `EventEncoder` asks it for the requests, `HTTPDestination` what an answer means.
///
/// The server stores whatever it gets and checks no run id, so the outbox must not send a run twice.
/// Enrolment is not a report: `MyStudiesServer` does it.
package struct MyStudiesWire: StudyWire, ReportWriter {
    private static let leaving = "withdrawFromStudy"

    package init() {}

    /// A request for a submitted run, and one for a withdrawal; the server gets nothing else. An address
    /// that does not end with an action (`.api`) is that of the server.
    package func requests(for report: Report, at now: Instant, in context: WireContext) -> [WireRequest] {
        let base = context.address.hasSuffix("/") ? String(context.address.dropLast()) : context.address
        let url = base.isEmpty || base.hasSuffix(".api") ? base : base + "/response-processResponse.api"
        if case .withdrawn(let deletes) = report { return withdrawal(url, deletes: deletes, context) }
        guard case .submitted(let submission) = report else { return [] }
        return [
            WireRequest(
                method: "POST", url: url, headers: [.init(name: "Content-Type", value: "application/json")],
                body: Array(body(submission, in: context).text.utf8))
        ]
    }

    /// The server cannot tell that a run comes a second time, and stores it again.
    package var storesTwice: Bool { true }

    private func withdrawal(_ url: String, deletes: Bool, _ context: WireContext) -> [WireRequest] {
        let action = "processResponse"
        let parts = url.split(separator: action, omittingEmptySubsequences: false)
        // The action is the last `processResponse` of the address: the host or a folder may be called so, too.
        guard parts.count > 1, let end = parts.last, !end.contains("/") else { return [] }
        let address = parts.dropLast().joined(separator: action) + Self.leaving + end
        let participant = PercentCode.encoded(context.enrolment.participant.text)
        let query = "?participantId=\(participant)&delete=\(deletes)"
        return [WireRequest(method: "POST", url: address + query, headers: [], body: [])]
    }

    /// 200 with `success`; 400 is what the server refuses for good; everything else is tried again.
    package func verdict(status: Int, body: [UInt8]) -> Verdict {
        let answer = try? JSONNode(body)
        let success = answer?["success"].map { node in if case .boolean(true) = node.content { true } else { false } }
        if status == 200, success ?? false { return .delivered(receipt: "200 success") }
        let reason = Self.reason(answer)
        // The study is paused, and will take it afterwards.
        if status == 400, let reason, reason.hasPrefix("Response collection is not currently enabled") {
            return .retry(reason: reason)
        }
        if status == 504 { return .uncertain(reason: "the server's gateway did not wait for it (504)") }
        if status == 400 { return .refused(reason: reason ?? "the server answered with status 400") }
        if status == 200 { return .retry(reason: "the server's answer does not say success") }
        return .retry(reason: "the server answered with status \(status), not 200")
    }

    /// A repeated withdrawal counts as delivered: after the first one the server no longer knows the
    /// participant, and says so in these words only for a withdrawal (LabKey/mobileAppStudy e740c284,
    /// `WithdrawFromStudyAction` and `ParticipantForm`).
    package func verdict(status: Int, body: [UInt8], to request: WireRequest) -> Verdict {
        let unknown = "Invalid ParticipantId."
        guard status == 400, request.url.contains(Self.leaving), Self.reason(try? JSONNode(body)) == unknown else {
            return verdict(status: status, body: body)
        }
        return .delivered(receipt: "400 \(unknown)")
    }

    /// Each step's result by its key, as on the wire.
    package func answers(_ submission: Submission, in context: WireContext) -> JSONText {
        let results = MyStudiesResults(submission, in: context)
        return .object(results.all.map { .init($0.key, $0.value ?? .null) })
    }

    private static func reason(_ answer: JSONNode?) -> String? {
        guard let text = answer?["exception"]?.text else { return nil }
        return String(text.prefix(500))
    }

    private func body(_ submission: Submission, in context: WireContext) -> JSONText {
        let results = MyStudiesResults(submission, in: context)
        let task = context.study.task(submission.task)
        let isActive = results.isActive
        let data = JSONText.object([
            "resultType": isActive ? nil : JSONText.string("questionnaire"), "startTime": .string(results.began),
            "endTime": .string(results.ended), "results": .array(results.all.map(results.json)),
        ])
        let metadata = JSONText.object([
            "studyId": .string(context.study.studyID), "activityId": .string(submission.task),
            "name": .string(task?.name ?? ""), "version": .string(task?.wireName ?? ""),
            "activityRunId": .string(String(submission.run)),
            "studyVersion": context.study.version.map { .string($0) },
            "language": context.study.language.map { .string($0) },
        ])
        return .object([
            .init("type", .string(isActive ? "task" : "questionnaire")), .init("metadata", metadata),
            .init("participantId", .string(context.enrolment.participant.text)), .init("data", data),
        ])
    }
}
