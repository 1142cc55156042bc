// SPDX-License-Identifier: Apache-2.0
import Base

/// What has changed at the servers of a study since the last look. The platform's `StudyServer.news` makes it
/// of a `KnownStudy`; the agent's `StudyUpdateCheck` decides what follows.
package struct ServerUpdate: Sendable {
    /// Another version of the study.
    package struct Version: Sendable, Hashable {
        /// As the server counts it.
        package let text: String
        /// The study as it is to be kept; the same bytes as before = nothing in it has changed.
        package let bytes: [UInt8]

        package init(_ text: String, bytes: [UInt8]) { (self.text, self.bytes) = (text, bytes) }
    }
    /// The study's status in the platform's word, where it is another than before.
    package var status: String?
    package var version: Version?
    /// Keys of tasks that were taken out of the study; they end at once, whether the rest of the
    /// new version can be followed or not.
    package var deleted: Set<String> = []
    /// The consent is another than before.
    package var hasNewConsent = false
    /// The version of the consent that the study asks for, where it is another than was known; empty where it asks
    /// for none.
    package var consent: String?
    /// Messages that were not seen before, oldest first.
    package var messages: [StudyMessage] = []
    /// Variables of the study that are new or have changed: the schedule is computed again with them.
    package var values: [String: AnswerValue] = [:]
    /// The names of those `values` that mean something to a person; the others are only the platform's own.
    package var learned: [String] = []
    /// What could not be asked, in words.
    package var faults: [String] = []

    package init() {}
}
