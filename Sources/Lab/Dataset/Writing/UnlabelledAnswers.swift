// SPDX-License-Identifier: Apache-2.0

import Base

/// Answers without labels because the words that they were asked in are not in the codebook. An export adds each
/// participant's submissions.
struct UnlabelledAnswers {
    private enum Reason: Hashable {
        case notHere(version: String)
        /// Files of one version, or of none, ask it differently.
        case disputed(item: String)
        case versionUnknown
    }

    private struct Place: Hashable {
        let task: String
        let reason: Reason
    }

    private let codebook: Codebook
    /// How many submissions there are.
    private var counts: [Place: Int] = [:]

    init(_ codebook: Codebook) { self.codebook = codebook }

    mutating func add(_ record: ParticipantRecord) {
        // Without any words the dataset has an issue already.
        guard !codebook.items.isEmpty else { return }
        for submission in record.submissions where submission.repeats == nil {
            let given = submission.answers.filter { !$0.value.isEmpty }
            for reason in Set(given.compactMap { cause($0.item, submission) }) {
                counts[Place(task: submission.task, reason: reason), default: 0] += 1
            }
        }
    }

    var issues: [DatasetIssue] {
        counts.map { place, count in
            let who = "\(Plural.of(count, "submission")) of \(place.task)"
            return DatasetIssue(.noCodebook, "", Self.text(who, place.reason))
        }
    }

    private static func text(_ who: String, _ reason: Reason) -> String {
        switch reason {
        case .notHere(let version):
            "\(who) in version \(version) without labels: its words are not here; give its file with --study-file"
        case .disputed(let item):
            "\(who) without a label of \(item): files of one version differ; give the right one with --study-file"
        case .versionUnknown: "\(who) without labels: they do not say in which version they were asked"
        }
    }

    /// Nil where it has its words, and where its version's file is here and does not have it: platforms also send
    /// values that are no question's.
    private func cause(_ item: String, _ submission: StudySubmission) -> Reason? {
        let (task, version) = (submission.task, submission.taskVersion)
        guard codebook.levels(item, of: task, in: version) == nil else { return nil }
        let asked = codebook.items.filter { $0.task == task }
        let own = asked.filter { $0.item == item }
        if own.contains(where: { $0.isDisputed(in: version) }) { return .disputed(item: item) }
        guard let known = version else { return own.isEmpty ? nil : .versionUnknown }
        let isHere = asked.contains { $0.isAsked(in: known) || $0.isDisputed(in: known) }
        return isHere ? nil : .notHere(version: known)
    }
}
