// SPDX-License-Identifier: Apache-2.0
import Base

/// A message of those who run a study: a `StudyServer` or the study itself gives it, and `studyd messages`
/// lists it.
package struct StudyMessage: Sendable, Hashable {
    /// The server's; one that was seen is not announced again.
    package let id: String
    /// Plain text; may be empty.
    private let title: String
    /// Plain text; may be empty.
    package let text: String
    /// When it was written; nil where its date cannot be read.
    package let date: Instant?

    package init(id: String, title: String, text: String, date: Instant?) {
        (self.id, self.title, self.text, self.date) = (id, title, text, date)
    }

    /// As it is kept in the event log.
    package var record: String {
        JSONText.object([
            "id": .string(id), "title": .string(title), "message": .string(text),
            "date": date.map { .string($0.rfc3339(in: .utc, fractionDigits: 0)) },
        ]).text
    }

    package var spoken: String { [title, text].filter { !$0.isEmpty }.joined(separator: ". ") }

    /// The id in what was kept; nil where it is no message.
    package static func id(in record: String) -> String? {
        guard let id = (try? JSONNode(Array(record.utf8)))?["id"]?.text else { return nil }
        return id
    }
}
