// SPDX-License-Identifier: Apache-2.0
import Base

/// What has changed at the servers of a study since the last look. The platform's `StudyServer.news` makes it
/// of a `KnownStudy`; the agent decides what follows.
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
    /// Another version that the server has; nil = none.
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

/// A message of those who run a study.
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

/// What the agent knows of the enrolment's study, from which a platform's server finds out what is new.
package struct KnownStudy: Sendable {
    /// Where it was enrolled from.
    package let source: String
    /// The pseudonym.
    package let participant: String
    /// As it was read last.
    package let study: StudyProtocol
    package let bytes: [UInt8]
    /// The version the server had at the last look; nil = it was never asked.
    package let version: String?
    /// The newest version that this board cannot run: it is not tried again; nil = none. It counts as offered until
    /// `ServerUpdate.version` is another, or has the bytes that are known.
    package let refused: String?
    /// The status at the last look; nil = it was never asked.
    package let status: String?
    /// Ids of messages that were seen.
    package let messages: Set<String>
    /// The study's variables as they are known here.
    package let variables: [String: AnswerValue]
    /// The zone of the participant's wall clock.
    package let zone: Zone
    /// The version of the consent that the study asked for at the last look, empty where it asked for none; nil = it
    /// was never asked.
    package let consent: String?
    /// A consent was recorded, at the enrolment or since.
    package let hasConsented: Bool

    package init(
        source: String, participant: String, study: StudyProtocol, bytes: [UInt8], version: String?, refused: String?,
        status: String?, messages: Set<String>, variables: [String: AnswerValue], zone: Zone, consent: String? = nil,
        hasConsented: Bool = false
    ) {
        self.source = source
        self.participant = participant
        self.study = study
        self.bytes = bytes
        self.version = version
        self.refused = refused
        self.status = status
        self.messages = messages
        self.variables = variables
        self.zone = zone
        self.consent = consent
        self.hasConsented = hasConsented
    }
}
