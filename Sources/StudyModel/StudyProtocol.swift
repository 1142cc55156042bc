// SPDX-License-Identifier: Apache-2.0

/// What a study says: decoded from its platform's own file, validated, the same for all platforms.
public struct StudyProtocol: Sendable {
    /// Where it comes from.
    public let platform: PlatformName
    /// The study's own identifier, sent with every record.
    public let studyID: String
    /// What a participant may read or hear about the study.
    public let texts: StudyTexts
    /// The arms of the study; one is drawn at enrolment. Empty where the study has none.
    public let conditions: [String]
    /// Modules, questionnaires or activities, in the order of the file.
    public let tasks: [StudyTask]
    /// Where the platform's records go, as the study says it; nil where it does not.
    public let postURL: String?
    /// Files to be fetched once at enrolment.
    public let media: [MediaReference]
    /// The dialect of the platform that it is written in, in the platform's own word; nil = the platform's own.
    public var dialect: String?
    /// The server is told what happens besides the answers.
    public var sendsLogs = true
    /// The study's version as its server counts it; nil where it does not say.
    public var version: String?
    /// The language in which its texts were asked for; nil = the server's own.
    public var language: String?
    /// Whether somebody who has left may take part again.
    public var allowsRejoining = true
    /// Values that are asked of the study's server.
    public var serverVariables: [ServerVariable] = []
    /// Dates from which tasks count their days, as far as they come from this study's own questions.
    public var anchors: [AnchorRule] = []
    /// Texts beside the tasks, each with its time.
    public var resources: [StudyResource] = []
    /// Figures about the participant's own answers.
    public var statistics: [StudyStatistic] = []
    /// Graphs of them, with the key of each one's task; those of schema stand at the tasks.
    public var charts: [StudyChart] = []
    /// What leaving does to the data at the server.
    public var withdrawal = WithdrawalRule.keepsData
    /// Why participants of an arm cannot take part, by the arm's name: what only that arm's tasks need refuses nobody else.
    public var armRefusals: [String: [Remark]] = [:]
    /// What its platform's own wire and server must know of it besides; nobody else looks into it.
    public var own: (any Sendable)?
    /// What was assumed while reading, and what a board without a screen cannot do.
    public let remarks: [Remark]

    public init(
        platform: PlatformName, studyID: String, texts: StudyTexts, conditions: [String], tasks: [StudyTask],
        postURL: String?, media: [MediaReference] = [], remarks: [Remark] = []
    ) {
        self.platform = platform
        self.studyID = studyID
        self.texts = texts
        self.conditions = conditions
        self.tasks = tasks
        self.postURL = postURL
        self.media = media
        self.remarks = remarks
    }

    /// The task of that key, nil where there is none.
    public func task(_ key: String) -> StudyTask? { tasks.first { $0.key == key } }
}

/// The texts a study brings, as plain text; empty where it has none.
public struct StudyTexts: Sendable, Hashable {
    /// The study's title; without one the card sheet shows the study id.
    public var name = ""
    /// What the participant is told about taking part.
    public var instructions = ""
    /// Address of the people who run the study, printed on the card sheet.
    public var contactEmail = ""
    /// Web address for help, printed on the card sheet.
    public var contactURL = ""
    /// The ethics approval, in the study's own words.
    public var ethics = ""
    /// Plain-language statement: a text or the address of one.
    public var statement = ""
    /// What is consented to; empty on platforms whose file has none, as schema's.
    public var consent = ""
    /// Said when nothing is open.
    public var nothingOpen = ""

    public init() {}
}

/// A file a study refers to.
public struct MediaReference: Sendable, Hashable {
    /// What it holds.
    public enum Kind: String, Sendable { case image, audio, video, web }
    /// What it holds.
    public let kind: Kind
    /// Its address as written in the study.
    public let source: String
    /// Where in the study it is named.
    public let path: String

    /// A reference found at `path`.
    public init(kind: Kind, source: String, path: String) {
        self.kind = kind
        self.source = source
        self.path = path
    }
}

/// Something a reader of the study must know about how it was understood.
public struct Remark: Sendable, Hashable {
    /// How much it matters.
    public enum Kind: String, Sendable {
        /// The file left it open, and this was assumed.
        case assumption
        /// The study runs as the platform's app runs it, and that is most likely not what was meant.
        case warning
        /// The board or this program cannot do it; the study runs without it.
        case unsupported
        /// The study cannot be run for this reason.
        case refusal
    }
    /// How much it matters.
    public let kind: Kind
    /// JSON path: `$.modules[1].alerts.timeout_after`.
    public let path: String
    /// Line of the file, from 1, where it could be found.
    public let line: Int?
    /// One sentence, with the remedy where there is one.
    public let message: String

    /// Path and line in words: `$.modules[1].type (line 12)`.
    public var place: String { path + (line.map { " (line \($0))" } ?? "") }

    /// A remark on what stands at `path`.
    public init(_ kind: Kind, path: String, line: Int? = nil, _ message: String) {
        self.kind = kind
        self.path = path
        self.line = line
        self.message = message
    }
}
