// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Commands
import Glibc
import Logging
import Study
import SystemKit

/// The store of a state folder, opened by a command while no agent runs. Commands that only read
/// may open it at any time.
struct StoreAccess {
    let configuration: AgentConfiguration
    let folder: StateFolder
    let database: StudyDatabase
    private(set) var stamps: EventClock
    private let common: CommonOptions
    private var isDated: @Sendable () -> Bool = { true }

    /// `isReading`: nothing of the configuration is needed but where the state folder is.
    init(_ common: CommonOptions, isReading: Bool = false) throws {
        self.common = common
        configuration = try isReading ? common.readingConfiguration() : common.configuration()
        let owner = StateOwner(of: configuration.state)
        folder = try StateFolder(configuration.state)
        defer { owner?.handOver() }
        database = try StudyDatabase(.file(folder.database), recordings: folder.recordings)
        // A boot without an id is like no other: a time since boot must never be taken for one of
        // another boot.
        stamps = EventClock(
            clock: SystemClock(), bootID: SystemClock.bootID() ?? "unsaid \(UInt64.random(in: 0 ... .max))",
            zone: try SystemZone.load(configuration.zone))
    }

    /// Dates rows by that clock, and an enrolment as certain where it is.
    mutating func follow(_ clock: DisciplinedClock) {
        stamps = EventClock(clock: clock, bootID: stamps.bootID, zone: stamps.zone)
        isDated = { clock.isCertain }
    }

    /// After writing: what root wrote belongs to whom the folder belongs.
    func handOver() { StateOwner(of: configuration.state)?.handOver() }

    func enroller() throws -> Enroller {
        let board = try common.board(of: configuration)
        let panel = try Panel(board, configuration)
        return Enroller(
            database: database, panel: panel, zone: stamps.zone, stamps: stamps,
            media: MediaCache(folder: folder.media),
            voice: SpeechVoice(configuration.speech, on: panel, in: folder),
            results: ResultFolder(folder.results), fit: MeasuringFit(configuration.measures, on: board),
            destinations: configuration.destinations, tries: { ServerContact.problem($0) }, isDated: isDated)
    }

    /// Sends what waits, while no agent does.
    var uploaders: UploaderMaker {
        UploaderMaker(configuration, database: database, folder: folder, stamps: stamps, log: Logger(label: "studyd"))
    }

    /// The enrolment that is in force; throws where there is none.
    func enrolment() async throws -> EnrolmentRecord {
        guard let state = try await database.latestEnrolment(), state.withdrawn == nil else {
            throw EnrolmentError.notEnrolled
        }
        return state.record
    }
}

/// The running agent, asked through its socket.
enum RunningAgent {
    /// The answer's text; nil when no agent runs with this state folder. Throws what
    /// the agent refused.
    static func ask(
        _ common: CommonOptions, _ request: ControlRequest, isReading: Bool = false
    ) throws -> String? {
        let folder = try StateFolder((isReading ? common.readingConfiguration() : common.configuration()).state)
        switch try ControlClient(path: folder.socket).call(request) {
        case .done(let text): return text
        case .refused(let reason): throw AgentRefusal(text: reason)
        case .facts, nil: return nil
        }
    }
}

/// What the running agent refused, in its own words.
struct AgentRefusal: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}
