// SPDX-License-Identifier: Apache-2.0
import Base

/// What the agent knows of the enrolment's study (`StudyServers`), from which a platform's `StudyServer.news`
/// finds out what is new.
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
