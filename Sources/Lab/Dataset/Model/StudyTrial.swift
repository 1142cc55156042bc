// SPDX-License-Identifier: Apache-2.0
import Base

/// What the rules beside a study decided, and what it takes to compute that once more.
package struct StudyTrial {
    /// A file of rules that an enrolment followed.
    package struct Rules: Sendable, Hashable {
        /// SHA-256, in hexadecimal.
        package let digest: String
        package let text: String
    }

    /// From which the draws of one enrolment follow, past ones and those to come.
    package struct Seed: Sendable, Hashable {
        package let enrolment: String
        package let began: StudyTime
        /// Its name in the tz database; nil = the offset of the enrolment for good.
        package let zone: String?
        /// 32 bytes in hexadecimal.
        package let seed: String
        /// The digest of the rules.
        package let rules: String
    }

    /// Names of features in any decision, sorted.
    package let features: [String]
    package let rules: [Rules]
    /// In the order in which they fell due.
    package var decisions: (Participant) throws -> [StudyDecision]
    package let seeds: (Participant) -> [Seed]
}
