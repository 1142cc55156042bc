// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// One platform's way of writing studies down, and of being told what happened.
public protocol StudyReader: Sendable {
    /// Whose studies it reads.
    var platform: StudyPlatform { get }
    /// Tells the platform's server what happened.
    var wire: any StudyWire { get }
    /// Whether these files look like this platform's; says nothing about whether they are right.
    func recognises(_ source: StudySource) -> Bool
    /// Reads and validates; throws every problem found.
    func decode(_ source: StudySource) throws(StudyFormatError) -> StudyProtocol
}

/// A study as it was found: one file, or the files of a folder.
public struct StudySource: Sendable {
    /// One file.
    public struct File: Sendable {
        /// Its path within the folder.
        public let name: String
        /// The contents, unchanged; readers bound their size and depth.
        public let bytes: [UInt8]
        /// A file of that name.
        public init(name: String, bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }
    }
    /// At least one.
    public let files: [File]
    /// What the reader chooses where the platform's own apps differ.
    public var options = StudyOptions()

    /// A folder's files.
    public init(files: [File]) { self.files = files }
    /// A single file or an answer of a server.
    public init(_ bytes: [UInt8], name: String = "study.json") { files = [File(name: name, bytes: bytes)] }
}

/// Choices where a platform's own apps differ from each other, or from what its documents say.
public struct StudyOptions: Sendable, Hashable {
    /// Whose app is followed.
    public enum Policy: String, Sendable, CaseIterable { case ios, android }
    /// FDA MyStudies: whose schedules.
    public var policy = Policy.ios
    /// FDA MyStudies: compare in branching rules as the iOS app does: `gt` as at least one more, `lt` as at most one less.
    public var comparesLikeTheApp = false
    /// What a number of schema's `timeout_after` counts.
    public enum Timeouts: String, Sendable, CaseIterable { case minutes, milliseconds }
    /// schema: the unit of `timeout_after`; nil = minutes below 1000, for nobody answers within a second, else milliseconds.
    public var timeouts: Timeouts?
    /// Days from the enrolment after which a schedule without an end is not looked at further.
    public var horizon = 1_825
    /// FDA MyStudies: the language asked for; nil = the server's own.
    public var language: String?
    /// momenTUM: its server is sent what schema's app logs; its own app sends no log.
    public var sendsMomentumLogs = false
    /// How that is said on the command line.
    public static let momentumLogsOption = "--momentum-logs"

    /// iOS, true comparison, five years.
    public init() {}
}

/// Every platform that is understood: one line each.
public enum StudyCatalog {
    /// In the order in which they are asked whether they recognise a source.
    public static let readers: [any StudyReader] = [
        SchemaReader(), MyStudiesReader(),
    ]

    /// The reader for a source: the one of `platform`, else the first that recognises it.
    public static func reader(
        for source: StudySource, platform: StudyPlatform? = nil
    ) throws(StudyFormatError) -> any StudyReader {
        let known = readers.map(\.platform.rawValue).joined(separator: ", ")
        let found = readers.first { platform == nil ? $0.recognises(source) : $0.platform == platform }
        if let found { return found }
        if let file = source.files.first, source.files.count == 1 { _ = try JSONNode(file.bytes) }
        throw StudyFormatError(
            path: "$", line: nil, expected: "a study of one of these platforms: \(known)",
            found: platform.map { "the platform \($0.rawValue)" } ?? "a file none of them recognises")
    }

    /// Reads and validates a study.
    public static func decode(
        _ source: StudySource, platform: StudyPlatform? = nil
    ) throws(StudyFormatError) -> StudyProtocol {
        try reader(for: source, platform: platform).decode(source)
    }

    /// The way to a platform's server; nil where none is known.
    public static func wire(for platform: StudyPlatform) -> (any StudyWire)? {
        readers.first { $0.platform == platform }?.wire
    }
}
