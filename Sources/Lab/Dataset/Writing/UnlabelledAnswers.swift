// SPDX-License-Identifier: Apache-2.0

import Base

/// Answers without labels because the words that they were asked in are not in the codebook. An export adds each
/// participant's submissions.
struct UnlabelledAnswers {
    private enum Reason: Hashable {
        case notHere(version: String)
        /// By files of one version, or of none, the value means different things.
        case disputed(item: String, value: String, meanings: [String])
        case versionUnknown
    }

    private struct Place: Hashable {
        let task: String
        let reason: Reason
    }

    private let codebook: CodebookIndex
    /// How many submissions there are.
    private var counts: [Place: Int] = [:]

    init(_ codebook: CodebookIndex) { self.codebook = codebook }

    mutating func add(_ record: ParticipantRecord) {
        // Without any words the dataset has an issue already.
        guard !codebook.isEmpty else { return }
        for submission in record.submissions where submission.repeats == nil {
            let given = submission.answers.filter { !$0.value.isEmpty }
            for reason in Set(given.compactMap { cause($0, submission) }) {
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
        case .disputed(let item, let value, let meanings):
            "\(who) without a label of \(item): \(value) means \(meanings.joined(separator: ", ")); "
                + "which file was asked is unknown: give it with --study-file"
        case .versionUnknown: "\(who) without labels: they do not say in which version they were asked"
        }
    }

    /// Nil where it has its words, and where its version's file is here and does not have it: platforms also send
    /// values that are no question's.
    private func cause(_ answer: StudySubmission.Answer, _ submission: StudySubmission) -> Reason? {
        let (task, version) = (submission.task, submission.taskVersion)
        switch codebook.meaning(of: answer.value, to: answer.item, of: task, in: version) {
        case .level, .plain: return nil
        case .disputed(let meanings): return .disputed(item: answer.item, value: answer.value, meanings: meanings)
        case .unknown: break
        }
        let asked = codebook.items(of: task)
        guard let known = version else { return asked.contains { $0.item == answer.item } ? .versionUnknown : nil }
        let isHere = asked.contains { $0.isAsked(in: known) || !$0.disputedNames(in: known).isEmpty }
        return isHere ? nil : .notHere(version: known)
    }
}
