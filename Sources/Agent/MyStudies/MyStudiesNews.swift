// SPDX-License-Identifier: Apache-2.0
import StudyEngine
import StudyModel
import Times

/// What has changed at the servers of a study since it was looked at last.
struct MyStudiesNews: Sendable {
    /// Another version of the study, ready to be followed.
    struct Update: Sendable {
        let loaded: LoadedStudy
        let version: String
    }
    /// The study's status, where it is another than before.
    var status: String?
    /// A version that this board can run.
    var update: Update?
    /// A version that it cannot run, with the reason; the one before goes on.
    var refusal: (version: String, reason: String)?
    /// Activities that were taken out of the study; they end at once, whether the rest of the new version can be followed or not.
    var deleted: Set<String> = []
    /// The version the server has; nil = the one that was known.
    var version: String?
    /// The consent is another than before.
    var hasNewConsent = false
    /// Messages that were not seen before, oldest first.
    var messages: [MyStudiesServer.Message] = []
    /// Dates that are known now, or changed.
    var values: [String: AnswerValue] = [:]
    /// What could not be asked.
    var faults: [String] = []

    /// Nothing has changed.
    var isEmpty: Bool {
        !hasNewConsent && status == nil && update == nil && deleted.isEmpty && refusal == nil && messages.isEmpty
            && values.isEmpty
            && faults.isEmpty
    }

    /// For whoever asked, one line each.
    var lines: [String] {
        var lines: [String] = []
        if let status { lines.append("the study is \(status)") }
        if !deleted.isEmpty { lines.append("no longer asked: \(deleted.sorted().joined(separator: ", "))") }
        if let update { lines.append("version \(update.version) of the study is followed once the panel is idle") }
        if let refusal { lines.append("version \(refusal.version) cannot be run on this board: \(refusal.reason)") }
        if hasNewConsent { lines.append(Self.newConsent) }
        lines += messages.map { "message: \($0.spoken)" }
        lines += values.keys.sorted().filter { !$0.hasSuffix("/external") }.map { "known now: \($0)" }
        lines += faults.map { "not asked: \($0)" }
        return lines
    }

    /// Nobody can consent on a box.
    static let newConsent = "the study's consent has changed: the study team has to ask the participant"

    /// While it lasts there are no prompts, and nothing can be begun.
    static func isPause(_ status: String) -> Bool { status.lowercased() != "active" }
}

/// What was known before.
struct MyStudiesKnown: Sendable {
    let enrolment: String
    let source: String
    let participant: String
    let study: StudyProtocol
    let bytes: [UInt8]
    let version: String
    let refused: String?
    let status: String
    let messages: Set<String>
    let variables: [String: AnswerValue]
    let enrolled: Instant
    let base: String
}
