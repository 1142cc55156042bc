// SPDX-License-Identifier: Apache-2.0
import Times

/// Something that happened and that a platform may want to be told. Which ones it is told, and how, its wire says.
public enum Report: Sendable {
    case enrolled
    /// The list of what can be done was opened, or left.
    case listOpened, listLeft
    /// The participant's own graphs.
    case graphsOpened, graphsLeft
    /// The menu with prompts off/on and leaving the study.
    case menuOpened, menuLeft
    case promptTaken(Occurrence)
    /// It was signalled for the first time.
    case prompted(Occurrence)
    /// It was signalled again, because nobody had come.
    case reminded(Occurrence)
    /// Its signals are over, or it was never given any, and nobody came.
    case unanswered(Occurrence)
    case runOpened(task: String)
    case runLeft(task: String)
    case submitted(Submission)
    /// The participant has left; with `deletesData` the study is to delete what it has.
    case withdrawn(deletesData: Bool)
}

/// A finished run.
public struct Submission: Sendable {
    /// The task's key.
    public let task: String
    /// What it answers; for a sticky task always its first occurrence.
    public let occurrence: Occurrence
    /// Question ids of all steps, hidden ones too, in the order in which this opening had them.
    public let order: [String]
    /// The answers; hidden ones too.
    public var answers: Answers
    /// Values a platform sends for steps that were drawn and not answered (schema: 1 for a drawn `rand_group` member).
    public let drawn: Set<String>
    /// When the run was submitted.
    public let submitted: Instant
    /// Which submission of its task it is, from 1: the platform's run number where every run has one of its own.
    public let run: Int
    /// When each step was told and answered, by its id; steps that were never shown are missing.
    public let times: [String: StepTimes]
    /// What the run was, step by step; nil where only its answers are known.
    public let course: RunCourse?
    /// The occurrence that the run ends, which for a sticky task may be another; nil = it was self-started.
    public var prompt: Occurrence?

    public init(
        task: String, occurrence: Occurrence, order: [String], answers: Answers, drawn: Set<String>,
        submitted: Instant, run: Int = 1, times: [String: StepTimes] = [:], course: RunCourse? = nil
    ) {
        self.task = task
        self.occurrence = occurrence
        self.order = order
        self.answers = answers
        self.drawn = drawn
        self.submitted = submitted
        self.run = run
        self.times = times
        self.course = course
    }
}

/// When a step was told and answered; of several tellings the last.
public struct StepTimes: Sendable, Hashable {
    /// When its telling began.
    public let presented: Instant
    /// The press that answered it; nil where it was left out.
    public let answered: Instant?
    public init(presented: Instant, answered: Instant?) {
        self.presented = presented
        self.answered = answered
    }
}

/// One HTTP request, complete: built once, kept as bytes, sent again and again identically.
public struct WireRequest: Sendable, Hashable {
    /// The HTTP method in capitals: `POST`.
    public let method: String
    /// Absolute address; empty while neither study nor enrolment names one: the request then waits.
    public let url: String
    /// In order; no `Content-Length`, no `Host`.
    public let headers: [Header]
    /// As sent, already encoded as the headers say; empty where the method has none.
    public let body: [UInt8]

    /// One header field.
    public struct Header: Sendable, Hashable {
        /// As sent; compared without regard to case by those who receive it.
        public let name: String
        /// As sent, without line breaks.
        public let value: String
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    public init(method: String, url: String, headers: [Header], body: [UInt8]) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// What a server's answer means.
public enum Verdict: Sendable, Hashable {
    /// Stored there; the receipt says by which words.
    case delivered(receipt: String)
    /// It will never be taken; kept and shown.
    case refused(reason: String)
    /// Try again later.
    case retry(reason: String)
    /// It was sent, and nobody knows whether the server has it; a second one would be stored beside the first.
    case uncertain(reason: String)
}

/// A platform's way of telling its server what happened.
public protocol StudyWire: Sendable {
    /// The requests that `report` makes, in order; empty where the platform is not told.
    func requests(for report: Report, at now: Instant, in context: WireContext) -> [WireRequest]
    /// The answers of a run, by question id, spelled as on the wire.
    func answers(_ submission: Submission, in context: WireContext) -> JSONText
    /// What the server's answer means. `body` is cut to its first 64 KiB.
    func verdict(status: Int, body: [UInt8]) -> Verdict
    /// What the server's answer to that request means.
    func verdict(status: Int, body: [UInt8], to request: WireRequest) -> Verdict
    /// The server keeps the same request twice when it comes twice.
    var storesTwice: Bool { get }
    /// The least time that its server wants between two requests.
    var minimumInterval: Duration { get }
}

extension StudyWire {
    /// False: a request that comes again does no harm, or its sender is known by it.
    public var storesTwice: Bool { false }

    /// None.
    public var minimumInterval: Duration { .zero }

    /// The same for every request.
    public func verdict(status: Int, body: [UInt8], to request: WireRequest) -> Verdict {
        verdict(status: status, body: body)
    }
}

/// What a wire needs to know besides the report.
public struct WireContext: Sendable {
    /// The study as decoded at enrolment: tasks, formats and its own `postURL`.
    public let study: StudyProtocol
    /// Who takes part, and since when.
    public let enrolment: Enrolment
    /// Of the participant's wall clock: wires that send local times use it.
    public let zone: Zone
    /// Where to send instead of the study's own address.
    public let postURL: String?

    public init(study: StudyProtocol, enrolment: Enrolment, zone: Zone, postURL: String?) {
        self.study = study
        self.enrolment = enrolment
        self.zone = zone
        self.postURL = postURL
    }
}
