// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Times

/// The servers of a platform. Every call blocks: on a thread of its own. Without memory but for the reporter's.
///
/// What becomes of answers is not its affair: they go through the outbox, by the platform's wire.
public protocol StudyServer: Sendable {
    /// Fetches the study that is asked for; throws in words what the server refuses. Uses nothing up.
    func offer(_ request: JoinRequest) throws -> JoinOffer

    /// How often it is asked for news; nil = never.
    var poll: Duration? { get }
    /// Why nobody is asked about a study that was enrolled from there; nil = somebody is.
    func silence(about source: String) -> String?
    /// One look at everything: what one server does not answer keeps nothing else from being asked.
    func news(since known: KnownStudy) -> ServerUpdate
    /// Tells how the participant stands; nil = nobody wants to know.
    func reporter() -> (any ProgressReporter)?
}

extension StudyServer {
    /// Never.
    public var poll: Duration? { nil }
    /// There is no news on this platform.
    public func silence(about source: String) -> String? { "this study has no server that is asked for news" }
    /// None.
    public func news(since known: KnownStudy) -> ServerUpdate { ServerUpdate() }
    /// Nobody.
    public func reporter() -> (any ProgressReporter)? { nil }
}

/// Tells a server how a participant stands, again and again; remembers what it told. Blocks.
///
/// What is told is the whole present state: a telling that fails is made good by the next.
public protocol ProgressReporter: Sendable {
    /// Tells what is new; nothing is sent where nothing is.
    mutating func report(_ tasks: [TaskRuns], of study: StudyProtocol, enrolment: Enrolment, at now: Instant) throws
    /// Tells once that the participant has left.
    mutating func leave(_ study: StudyProtocol, enrolment: Enrolment) throws
}

/// A task with all its runs of the present plan and what became of them.
public struct TaskRuns: Sendable {
    /// The task.
    public let task: StudyTask
    /// In order of time, each with how it ended; nil = not yet.
    public let runs: [(occurrence: Occurrence, outcome: Outcome?)]
    /// How often it was submitted, those that nothing asked for too.
    public let submissions: Int
    /// The current run was opened.
    public let isBegun: Bool

    public init(
        _ task: StudyTask, runs: [(occurrence: Occurrence, outcome: Outcome?)], submissions: Int, isBegun: Bool
    ) {
        self.task = task
        self.runs = runs
        self.submissions = submissions
        self.isBegun = isBegun
    }
}

/// How the participant stands in a study, as the platform counts it, for `studyd status`.
public struct StudyStanding: Sendable, Hashable {
    /// For people: one line.
    public let line: String
    /// Members of the JSON object.
    public let members: [JSONText.Member]

    public init(line: String, members: [JSONText.Member]) {
        self.line = line
        self.members = members
    }
}
