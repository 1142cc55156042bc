// SPDX-License-Identifier: Apache-2.0

/// Something that a study tells at its time, beside what it asks: ESMira's schedule makes it, and
/// `StudyConductor` gives it.
package struct StudyNotice: Sendable, Hashable {
    /// In the platform's word.
    package let kind: String
    /// As plain text.
    package let text: String
    /// As it is kept with the messages; nil = it is said and gone.
    package let record: String?

    package init(kind: String, text: String, record: String?) {
        (self.kind, self.text, self.record) = (kind, text, record)
    }
}
