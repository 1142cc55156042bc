// SPDX-License-Identifier: Apache-2.0
import Base

/// A post that was taken, as it is in the archive, for the pages and `/api/records`.
struct StoredRecord: Sendable {
    let id: Int64
    /// The receiver's time of arrival.
    let received: Instant
    let path: String
    let post: SchemaPost
    /// The first record with exactly the same fields, nil for that one itself.
    let duplicateOf: Int64?
    let warnings: [String]

    /// From prompt to answer; nil where either time is missing or the answer was given
    /// before the prompt.
    var latency: Duration? {
        guard let alert = post.alertTime, let answer = post.writtenTime, answer.instant >= alert.instant else {
            return nil
        }
        return answer.instant - alert.instant
    }

    static func fields(_ stored: String) -> [FormField] {
        ((try? JSONReader.value(stored))?.array ?? []).compactMap { pair in
            guard let parts = pair.array, parts.count == 2, let name = parts[0].string, let value = parts[1].string
            else { return nil }
            return FormField(name: name, value: value)
        }
    }

    static func texts(_ stored: String) -> [String] {
        ((try? JSONReader.value(stored))?.array ?? []).compactMap(\.string)
    }
}
