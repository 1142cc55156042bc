// SPDX-License-Identifier: Apache-2.0
import Base

/// Something that happened and that a platform may want to be told. Which ones it is told, and
/// how, its wire says.
package enum Report: Sendable {
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
    /// A prompt of that task, or a reminder, is planned for then.
    case planned(task: String, due: Instant)
    /// What was planned for then has come, or is planned no more.
    case unplanned(task: String, due: Instant)
    /// It was told, and needs no answer.
    case noticed(Occurrence)
    /// It was signalled again, because nobody had come.
    case reminded(Occurrence)
    /// Its signals are over, or it was never given any, and nobody came.
    case unanswered(Occurrence)
    case runOpened(task: String)
    case runLeft(task: String)
    case submitted(Submission)
    /// The participant moved a time of that task; how its times are now, in the platform's words.
    case timesMoved(task: String, text: String)
    /// The study is another version now.
    case updated
    /// The participant asked for what there is for taking part.
    case rewardAsked
    /// A script of that task has something to say to those who run the study.
    case logged(task: String, RunLog)
    /// The participant has left; with `deletesData` the study is to delete what it has.
    case withdrawn(deletesData: Bool)
}

package struct Submission: Sendable {
    /// The task's key.
    package let task: String
    /// What it answers; for a sticky task always its first occurrence.
    package let occurrence: Occurrence
    /// Question ids of all steps, hidden ones too, in the order in which this opening had them.
    package let order: [String]
    /// The answers; hidden ones too.
    package var answers: Answers
    /// Values a platform sends for steps that were drawn and not answered (schema: 1 for a drawn
    /// `rand_group` member).
    package let drawn: Set<String>
    /// When the run was submitted.
    package let submitted: Instant
    /// Which submission of its task it is, from 1: the platform's run number where every run
    /// has one of its own.
    package let run: Int
    /// When each step was told and answered, by its id; steps that were never shown are missing.
    package let times: [String: StepTimes]
    /// What the run was, step by step; nil where only its answers are known.
    package let course: RunCourse?
    /// The occurrence that the run ends, which for a sticky task may be another; nil = it
    /// was self-started.
    package var prompt: Occurrence?
    /// What its recorders wrote, once that is known; only told to a wire that sends it along.
    package var recorded: [RunRecording] = []
    /// The sound of spoken answers, by the ids in the answers; one that is missing was not ready,
    /// or could not be recorded. Only told to a wire that sends it along.
    package var spoken: [String: RunRecording.File] = [:]
    /// How far off its times can be, one side, in seconds; nil while nobody vouches for the clock.
    package var clockError: Double?

    package init(
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
package struct StepTimes: Sendable, Hashable {
    /// When its telling began.
    package let presented: Instant
    /// The press that answered it; nil where it was left out.
    package let answered: Instant?
    package init(presented: Instant, answered: Instant?) {
        self.presented = presented
        self.answered = answered
    }
}

/// One HTTP request, complete: built once, kept as bytes, sent again and again identically.
package struct WireRequest: Sendable, Hashable {
    /// The HTTP method in capitals: `POST`.
    package let method: String
    /// Absolute address; empty while neither study nor enrolment names one: the request then waits.
    package let url: String
    /// In order; no `Content-Length`, no `Host`.
    package let headers: [Header]
    /// As sent, already encoded as the headers say; empty where the method has none.
    package let body: [UInt8]
    /// What the body is to be packed of before it is kept; nil = it is there.
    package var archive: WireArchive?
    /// The X.509 certificate (PEM) to which the body is to be encrypted before it is kept; nil = it
    /// is sent as it is.
    package var recipient: String?

    package struct Header: Sendable, Hashable {
        /// As sent; compared without regard to case by those who receive it.
        package let name: String
        /// As sent, without line breaks.
        package let value: String
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    package init(method: String, url: String, headers: [Header], body: [UInt8]) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// What a server's answer means.
package enum Verdict: Sendable, Hashable {
    /// Stored there; the receipt says by which words.
    case delivered(receipt: String)
    /// It will never be taken; kept and shown.
    case refused(reason: String)
    case retry(reason: String)
    /// It was sent, and nobody knows whether the server has it; a second one would be stored
    /// beside the first.
    case uncertain(reason: String)
}

/// A platform's way of telling its server what happened.
package protocol StudyWire: Sendable {
    /// The requests that `report` makes, in order; empty where the platform is not told.
    func requests(for report: Report, at now: Instant, in context: WireContext) -> [WireRequest]
    /// What is sent with a file of a run, by name; nil = the platform's server does not take that
    /// file. It is sent once the run's answers were taken.
    func fields(for file: RunFile, in context: WireContext) -> [String: String]?
    /// The request that carries a file: for the same bytes and fields always the same. Throws
    /// `RunFileError` where it can never be sent.
    func request(carrying file: [UInt8], with fields: [String: String]) throws -> WireRequest
    /// The answers of a run, by question id, spelled as on the wire.
    func answers(_ submission: Submission, in context: WireContext) -> JSONText
    /// What the server's answer means. `body` is cut to its first 64 KiB.
    func verdict(status: Int, body: [UInt8]) -> Verdict
    /// What the server's answer to that request means.
    func verdict(status: Int, body: [UInt8], to request: WireRequest) -> Verdict
    /// The next step of a delivery that takes several calls; nil = this request is sent as it is,
    /// in one. Throws what the line throws.
    func step(delivering request: WireRequest, over line: WireLine) throws -> WireStep?
    /// A run's request carries what its recorders wrote, so that it is made once all
    /// of that is there.
    var sendsRecorded: Bool { get }
    /// The server keeps the same request twice when it comes twice.
    var storesTwice: Bool { get }
    /// The least time that its server wants between two requests.
    var minimumInterval: Duration { get }
}

extension StudyWire {
    /// False: a request that comes again does no harm, or its sender is known by it.
    package var storesTwice: Bool { false }

    /// False: answers go at once.
    package var sendsRecorded: Bool { false }

    package var minimumInterval: Duration { .zero }

    /// None: its server takes no files of runs.
    package func fields(for file: RunFile, in context: WireContext) -> [String: String]? { nil }

    /// Never asked, where no file is taken.
    package func request(carrying file: [UInt8], with fields: [String: String]) throws -> WireRequest {
        throw RunFileError("this study's server takes no files: send them to another destination")
    }

    package func step(delivering request: WireRequest, over line: WireLine) throws -> WireStep? { nil }

    /// The same for every request.
    package func verdict(status: Int, body: [UInt8], to request: WireRequest) -> Verdict {
        verdict(status: status, body: body)
    }
}

/// What a wire needs to know besides the report.
package struct WireContext: Sendable {
    /// The study as decoded at enrolment: tasks, formats and its own `postURL`.
    package let study: StudyProtocol
    /// Who takes part, and since when.
    package var enrolment: Enrolment
    /// Of the participant's wall clock: wires that send local times use it.
    package let zone: Zone
    /// Where to send instead of the study's own address.
    package let postURL: String?

    package init(study: StudyProtocol, enrolment: Enrolment, zone: Zone, postURL: String?) {
        self.study = study
        self.enrolment = enrolment
        self.zone = zone
        self.postURL = postURL
    }
}
