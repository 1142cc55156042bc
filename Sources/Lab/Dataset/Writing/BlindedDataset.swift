// SPDX-License-Identifier: Apache-2.0
import Base

/// A dataset from which it cannot be told who was treated: without prompts that rules raised, the answers
/// to them, and the log (ICH E6(R3) 4.1 on blinding).
package struct BlindedDataset: DerivedDataset {
    package let whole: any StudyDataset

    package init(_ whole: any StudyDataset) { self.whole = whole }

    package func record(of participant: Participant) throws -> ParticipantRecord {
        var record = try whole.record(of: participant)
        record.prompts.removeAll(where: \.isOfRule)
        record.submissions.removeAll { $0.prompt.map(StudyPrompt.isOfRule) ?? false }
        record.files.removeAll { $0.name.hasPrefix("log-") && $0.name.hasSuffix(".jsonl.gz") }
        return record
    }
}
