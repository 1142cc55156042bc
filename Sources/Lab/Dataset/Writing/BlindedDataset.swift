// SPDX-License-Identifier: Apache-2.0

/// A dataset from which it cannot be told who was treated (ICH E6(R3) 4.1 on blinding): without prompts that
/// rules raised, what is there only because they were answered, and segments of logs. An export without
/// `--unblind` writes this.
package struct BlindedDataset: DerivedDataset {
    package let whole: any StudyDataset
    /// The tasks that any rule decided about, whatever was drawn.
    private let tasks: Set<String>

    /// `whole` must not be cut to a window yet: a decision may lie before the window that holds what it led to.
    package init(_ whole: any StudyDataset) throws {
        self.whole = whole
        let trial = try whole.trial()
        tasks = Set(try whole.participants.flatMap { try trial?.decisions($0).map(\.task) ?? [] })
    }

    package func record(of participant: Participant) throws -> ParticipantRecord {
        var record = try whole.record(of: participant)
        let tasks = tasks.union(record.prompts.filter(\.isOfRule).map(\.task))
        record.prompts.removeAll(where: \.isOfRule)
        record.submissions.removeAll { $0.mayTellOfRules(tasks, codebook) }
        record.files.removeAll { $0.isLog }
        if !tasks.isEmpty { withholdTraces(of: tasks, from: &record) }
        return record
    }

    /// Issues that name or count files, and so may tell of a prompt: they stay only where they begin with the
    /// name of a recording that stays.
    private static let revealing: Set<DatasetIssue.Kind> = [
        .noDescription, .unfinishedUpload, .unreadable, .encrypted, .clockUnknown, .clockSetBack, .clockAhead,
    ]

    /// A recording names its task but not its prompt, and a missing item names neither, so everything that a rule
    /// may have led to is removed.
    private func withholdTraces(of tasks: Set<String>, from record: inout ParticipantRecord) {
        let given = Set(record.submissions.flatMap { $0.answers.map(\.value) })
        record.recordings.removeAll { recording in
            guard let description = recording.description else { return true }
            if let task = description.task?.task { return tasks.contains(task) }
            guard let name = recording.spokenAnswer else { return false }
            // A device's own state has the id alone.
            return !given.contains(name) && !given.contains(String(name.dropFirst("voice:".count)))
        }
        record.missing.removeAll { $0.kind != .manifest }
        // The app's log tells what was done with a prompt, and when it was due, without naming the prompt.
        record.events = []
        record.files.removeAll { $0.holdsAnswers || $0.isDescription }
        let names = Set(record.recordings.map(\.name))
        record.issues.removeAll { issue in
            Self.revealing.contains(issue.kind) && !names.contains(String(issue.text.prefix { $0 != " " }))
        }
        record.issues += record.clockIssues
    }
}

extension StudySubmission {
    /// It answers a prompt that a rule raised or, where its prompt is unknown, may do so by its task.
    func mayTellOfRules(_ tasks: Set<String>, _ codebook: Codebook) -> Bool {
        if let prompt { return StudyPrompt.isOfRule(prompt) }
        return tasks.contains(task) || (!tasks.isEmpty && isOfUnknownTask(codebook))
    }

    /// A post of the schema platform has its task's place in the study, which the codebook does not name.
    private func isOfUnknownTask(_ codebook: Codebook) -> Bool {
        id.hasPrefix("schema-") && Int(task) != nil && !codebook.tasksByPlace.values.contains(task)
    }
}

extension OtherFile {
    /// A segment of a device's log.
    fileprivate var isLog: Bool { name.hasPrefix("log-") && name.hasSuffix(".jsonl.gz") }
    /// The description of a recording that has not come: `000001-accelerometer.json`.
    fileprivate var isDescription: Bool { name.hasSuffix(".json") && name.prefix { $0.isNumber }.count >= 6 }
    /// An archive of SageResearch, or a copy of what went to a study's server.
    fileprivate var holdsAnswers: Bool { kind == "archive" || name.hasPrefix("answers-") }
}
