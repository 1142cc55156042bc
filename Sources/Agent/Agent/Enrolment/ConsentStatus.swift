// SPDX-License-Identifier: Apache-2.0
import Base

/// The consent that the log of an enrolment has, beside the one that the study's server asks for: for `studyd study`,
/// `status` and reports.
package struct ConsentStatus: Sendable, Hashable {
    package struct Recorded: Sendable, Hashable {
        package let version: String
        package let recordedBy: String
        package let representative: String
        /// `true`, `false` or `NA`.
        package let sharing: String
        /// The day on which it was signed, `2026-11-20`; empty where the record does not say.
        package let date: String
        package let noted: Instant

        /// `choice` is that of a row of the log (`ConsentRecord.choice`).
        init(version: String, choice: String, noted: Instant) {
            let root = try? JSONNode(Array(choice.utf8))
            func text(_ key: String) -> String { root?[key]?.text ?? "" }
            self.version = version
            self.noted = noted
            (recordedBy, representative) = (text("recordedBy"), text("representative"))
            (sharing, date) = (text("sharing"), text("date"))
        }
    }

    /// Nil where none was recorded.
    package let recorded: Recorded?
    /// The version that the study's server asked for last; nil where it asks for none, or was not asked.
    let wanted: String?
    /// When it began to ask for that.
    let since: Instant?

    init(recorded: Recorded?, wanted: String?, since: Instant?) {
        self.recorded = recorded
        self.wanted = wanted.flatMap { $0.isEmpty ? nil : $0 }
        self.since = since
    }

    /// What is missing, for the study team; nil = nothing.
    package var problem: String? {
        guard let wanted, wanted != recorded?.version else { return nil }
        let present = recorded.map { "the recorded consent is version \($0.version)" } ?? "no consent is recorded"
        let remedy = "ask the participant, then 'studyd update-study --consent FILE'"
        return "\(present), and the study's is version \(wanted): \(remedy)"
    }
}
