// SPDX-License-Identifier: Apache-2.0
import Base

/// A platform: everything that is peculiar to it lies in one module. One line in `PlatformCatalog+All.swift`
/// registers it; no other code refers to it by name.
///
/// A value without state: its table of the configuration is read once, and what is known of a study is passed
/// with each call. Most requirements have a default that fits most platforms, so that a platform implements
/// only what differs. Any thread may call it; only the calls of the value from `server` block. How to write
/// one: docs/adding/platform.md.
package protocol StudyPlatform: Sendable {
    /// As `--format`, the event log and the outbox write it: never changed, for logs
    /// outlive programs.
    static var name: PlatformName { get }
    /// Its name for people: `FDA MyStudies`.
    static var title: String { get }
    /// What becomes of its times when a participant travels, as in its apps. There is no default:
    /// the author of a platform has to know it.
    static var planZone: PlanZone { get }
    /// The table of `studyd.toml` that is its own; nil = it has none.
    static var table: String? { get }
    /// Options of `studyd` that are its own. All platforms share the names: each has one meaning only.
    static var options: [PlatformOption] { get }
    /// The remedy shown where the address of answers is wrong: where to correct it.
    var addressRemedy: String { get }
    /// A line of `studyd help enroll`; nil = the common example says it all.
    static var example: String? { get }

    /// For a configuration without the platform's table.
    init()
    /// For a configuration with the platform's table; throws with file, key and line. The caller then refuses
    /// keys that were not read.
    init(_ table: any SettingsTable) throws

    var reader: any StudyReader { get }
    /// Delivers what the writers of its studies wrote.
    var wire: any StudyWire { get }
    /// Whether a request is sent again when it is unknown whether the server has it; false = a person
    /// decides. Asked only where the wire says that the server would store it twice.
    var resendsUncertain: Bool { get }
    /// The way to its servers; nil = there is none without the table.
    func server(over device: any PlatformDevice) -> (any StudyServer)?

    /// How sure it is that this request is meant for it, before anything was read or fetched.
    func claim(_ request: JoinRequest) -> PlatformClaim
    /// How a study is to be read by the table and by options of the command line; throws
    /// `PlatformArgumentError` for an option that means nothing.
    func choices(_ arguments: PlatformArguments) throws -> StudyOptions
    /// Variables of the participant that `plan` and `simulate` assume, from options of the command line.
    func variables(_ arguments: PlatformArguments, planning study: StudyProtocol) throws -> [String: AnswerValue]

    /// The pseudonym of a participant whom neither a server nor a person has given one; `before` is that
    /// of the previous enrolment on this device.
    func pseudonym(before: String?, using generator: inout any RandomNumberGenerator) -> ParticipantID
    /// Whether a participant of this device who has left the study may take part in it again.
    func takesAgain(in study: StudyProtocol) -> Bool
    /// What is removed from this device at a withdrawal; `deletesData` is whether the server is to
    /// delete what it has.
    func leaving(deletesData: Bool) -> Leaving
    /// Whether this status of a study, as the server spells it, is a pause: no prompts, and nothing can be
    /// begun.
    func isPause(_ status: String) -> Bool
    /// Whether this status says that those who run the study have closed it: runs after that count for nothing.
    func isClosed(_ status: String) -> Bool
    /// Whether a server that refuses a request in these words takes nothing more of its participant.
    func endsParticipation(_ refusal: String) -> Bool
    /// Whether the platform counts a participant's progress.
    static var countsProgress: Bool { get }
    /// The participant's progress, for `studyd status`; asked only where the platform counts it.
    func progress(of tasks: [TaskRuns], status: String?, version: String?, at now: Instant) -> ProgressSummary?

    /// How the lab's study-receiver is started so that it plays this platform with the
    /// study at `path`.
    func receiverArguments(playing path: String) -> [String]
    /// Taking part in a study that the lab's study-receiver plays at `address`.
    func rehearsal(of study: StudyProtocol, at address: String, token: String?, over device: any PlatformDevice)
        -> EnrolmentPlan
}

extension StudyPlatform {
    package var name: PlatformName { Self.name }

    package static var table: String? { nil }
    package static var options: [PlatformOption] { [] }
    package static var example: String? { nil }
    /// As momenTUM and schema name it, with studies of one file.
    package var addressRemedy: String { "correct `post_url` in the study" }
    /// Without a table it is never asked to read one.
    package init(_ table: any SettingsTable) throws { self.init() }

    /// True: better stored twice than lost.
    package var resendsUncertain: Bool { true }
    package func server(over device: any PlatformDevice) -> (any StudyServer)? { nil }
    /// Not at all: its studies are files.
    package func claim(_ request: JoinRequest) -> PlatformClaim { .none }
    package func choices(_ arguments: PlatformArguments) throws -> StudyOptions { StudyOptions() }
    package func variables(_ arguments: PlatformArguments, planning study: StudyProtocol) throws -> [String:
        AnswerValue]
    {
        [:]
    }

    /// The previous pseudonym, else eight characters that are not easily mistaken.
    package func pseudonym(before: String?, using generator: inout any RandomNumberGenerator) -> ParticipantID {
        before.map(ParticipantID.init) ?? Pseudonym.draw(using: &generator)
    }
    package func takesAgain(in study: StudyProtocol) -> Bool { study.leaving.allowsRejoining }
    /// Where the server is to delete the data, what was not sent is not sent, and the answers are erased here
    /// too. Otherwise nothing is lost by leaving.
    package func leaving(deletesData: Bool) -> Leaving {
        Leaving(deletesUnsent: deletesData, erasesAnswers: deletesData)
    }
    package func isPause(_ status: String) -> Bool { false }
    package func isClosed(_ status: String) -> Bool { false }
    package func endsParticipation(_ refusal: String) -> Bool { false }
    package static var countsProgress: Bool { false }
    package func progress(of tasks: [TaskRuns], status: String?, version: String?, at now: Instant) -> ProgressSummary?
    {
        nil
    }

    /// The study is served as a file.
    package func receiverArguments(playing path: String) -> [String] { ["--serve", path] }
    /// Records go to a folder of the receiver that has the platform's name.
    package func rehearsal(
        of study: StudyProtocol, at address: String, token: String?, over device: any PlatformDevice
    ) -> EnrolmentPlan {
        EnrolmentPlan(postURL: "\(address)/\(name)")
    }
}
