// SPDX-License-Identifier: Apache-2.0
import Dataset

extension LabBlinding {
    /// Leaves out the posts that a blinded dataset does not have, before `PageRoutes` and `DataRoutes` show
    /// them.
    nonisolated func shown(_ records: [StoredRecord]) async throws -> [StoredRecord] {
        let hidden = try await hidden(of: Set(records.map(\.name)))
        return records.filter { record in
            guard let own = hidden[record.name] else { return true }
            return !own.holds(record.submission)
        }
    }
}

extension StoredRecord {
    fileprivate var name: LabBlinding.Name { .init(post["user_id"] ?? "", in: post["study_id"] ?? "") }

    /// Nil for a post that is no answer.
    fileprivate var submission: StudySubmission? {
        guard post.kind == .response else { return nil }
        return StudySubmission(post: { post[$0] }, id: id, received: received, repeats: duplicateOf)
    }
}
