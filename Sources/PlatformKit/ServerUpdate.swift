// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Times

/// What has changed at the servers of a study since it was looked at last. Found out by the platform; what follows from it decides the agent.
public struct ServerUpdate: Sendable {
    /// Another version of the study.
    public struct Version: Sendable, Hashable {
        /// As the server counts it.
        public let text: String
        /// The study as it is to be kept; the same bytes as before = nothing in it has changed.
        public let bytes: [UInt8]

        public init(_ text: String, bytes: [UInt8]) {
            self.text = text
            self.bytes = bytes
        }
    }
    /// The study's status in the platform's word, where it is another than before.
    public var status: String?
    /// The version the server has; nil = the one that was known.
    public var version: Version?
    /// Keys of tasks that were taken out of the study; they end at once, whether the rest of the new version can be followed or not.
    public var deleted: Set<String> = []
    /// The consent is another than before.
    public var hasNewConsent = false
    /// Messages that were not seen before, oldest first.
    public var messages: [StudyMessage] = []
    /// Variables that are known now, or changed: the plan is made anew with them.
    public var values: [String: AnswerValue] = [:]
    /// What could not be asked.
    public var faults: [String] = []

    public init() {}
}

/// A message of those who run a study.
public struct StudyMessage: Sendable, Hashable {
    /// The server's; one that was seen is not told again.
    public let id: String
    /// Plain text; may be empty.
    public let title: String
    /// Plain text; may be empty.
    public let text: String
    /// When it was written; nil where its date cannot be read.
    public let date: Instant?

    public init(id: String, title: String, text: String, date: Instant?) {
        self.id = id
        self.title = title
        self.text = text
        self.date = date
    }

    /// As it is kept in the event log.
    public var record: String {
        var members: [JSONText.Member] = [
            .init("id", .string(id)), .init("title", .string(title)), .init("message", .string(text)),
        ]
        if let date { members.append(.init("date", .string(date.rfc3339(in: .utc, fractionDigits: 0)))) }
        return JSONText.object(members).text
    }

    /// As it is told.
    public var spoken: String { [title, text].filter { !$0.isEmpty }.joined(separator: ". ") }

    /// The id in what was kept; nil where it is no message.
    public static func id(in record: String) -> String? {
        guard case .string(let id)? = (try? JSONNode(Array(record.utf8)))?["id"]?.content else { return nil }
        return id
    }
}

/// What is known of a study that somebody takes part in.
public struct KnownStudy: Sendable {
    /// Where it was enrolled from.
    public let source: String
    /// The pseudonym.
    public let participant: String
    /// As it was read last.
    public let study: StudyProtocol
    /// As it is kept.
    public let bytes: [UInt8]
    /// The version the server had at the last look; nil = it was never asked.
    public let version: String?
    /// A version that this board cannot run.
    public let refused: String?
    /// The status at the last look; nil = it was never asked.
    public let status: String?
    /// Ids of messages that were seen.
    public let messages: Set<String>
    /// What outlives runs.
    public let variables: [String: AnswerValue]
    /// Of the participant's wall clock.
    public let zone: Zone

    /// What is known, of these parts.
    public init(
        source: String, participant: String, study: StudyProtocol, bytes: [UInt8], version: String?, refused: String?,
        status: String?, messages: Set<String>, variables: [String: AnswerValue], zone: Zone
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
    }
}
