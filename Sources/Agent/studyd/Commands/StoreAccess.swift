// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Commands
import Logging
import Study
import SystemKit

/// The store of a state folder, opened by a command while no agent runs. Commands that only read
/// may open it at any time.
struct StoreAccess {
    let configuration: AgentConfiguration
    let folder: StateFolder
    let database: StudyDatabase
    /// Stamps events by the same clock as the agent's: it continues from the agent's last anchor.
    let stamps: EventClock
    private let common: CommonOptions
    private let isDated: @Sendable () -> Bool

    /// `isReading`: with --state no configuration file need exist, and no key is made. `makesStore`: a
    /// missing store is made; otherwise it is an error. `usesReserve`: on a full disk it takes the agent's reserve.
    init(
        _ common: CommonOptions, isReading: Bool = false, makesStore: Bool = false, usesReserve: Bool = false
    ) throws {
        self.common = common
        configuration = try isReading ? common.readingConfiguration() : common.configuration()
        let owner = StateOwner(of: configuration.state)
        folder = try makesStore ? StateFolder(configuration.state) : StateFolder(withStore: configuration.state)
        defer { owner?.restore() }
        // A command that only reads makes no key.
        if !isReading, let settings = configuration.encryption { _ = try EncryptionKey(settings, in: folder) }
        let clock = DisciplinedClock.resumed(vouched: configuration.trustsSystemClock, folder: configuration.state)
        isDated = { clock.isTrusted }
        database = try StudyDatabase(folder, encryption: configuration.encryption, usesReserve: usesReserve)
        // Without a boot id a random one, so that times since this boot are never compared with those of
        // another.
        stamps = EventClock(
            clock: clock, bootID: SystemClock.bootID() ?? "unsaid \(UInt64.random(in: 0 ... .max))",
            zone: try SystemZone.load(configuration.zone))
    }

    /// Has the running agent carry out the request, or `offline` where no agent runs; prints what came of it.
    static func perform(
        _ request: ControlRequest, _ common: CommonOptions, usesReserve: Bool = false,
        offline: (StoreAccess) async throws -> String
    ) async throws {
        if let text = try RunningAgent.ask(common, request) { return Output.line(text) }
        let store = try StoreAccess(common, usesReserve: usesReserve)
        defer { store.restoreOwner() }
        Output.line(try await offline(store))
    }

    /// Warns on standard error where answers are encrypted to a key that is not here.
    func remarkUnreadableAnswers() async throws {
        if let fault = try await database.unreadableAnswers() { Output.remark("studyd: \(fault)") }
    }

    /// After writing as root: gives what was written to the folder's owner, the user of the agent.
    func restoreOwner() { StateOwner(of: configuration.state)?.restore() }

    /// `isOffline`: no server is tried, since there is no network yet.
    func enroller(isOffline: Bool = false) throws -> Enroller {
        let board = try common.board(of: configuration)
        let panel = try Panel(board, configuration)
        let contact: @Sendable (String) -> String? = { ServerContact.problem($0) }
        return Enroller(
            database: database, panel: panel, zone: stamps.zone, stamps: stamps,
            media: MediaCache(folder: folder.media),
            voice: SpeechVoice(configuration.speech, on: panel, in: folder),
            results: ResultFolder(folder.results), key: DeviceKeyFile(folder), joins: JoinNote(folder),
            fit: MeasuringFit(configuration.measures, on: board),
            destinations: configuration.destinations, tries: isOffline ? nil : contact,
            features: configuration.features, isDated: isDated)
    }

    var participantRequests: ParticipantRequests {
        ParticipantRequests(database: database, platforms: configuration.platforms, stamps: stamps)
    }

    /// For commands that send what waits, while no agent runs.
    var uploaders: UploaderMaker {
        UploaderMaker(configuration, database: database, folder: folder, stamps: stamps, log: Logger(label: "studyd"))
    }

    /// Tells the lab's receiver at a hand-over that the enrolment has ended.
    var lastReport: LastReport {
        LastReport(
            configuration, folder: folder, stamps: stamps,
            log: Logger(label: "studyd") { _ in SwiftLogNoOpLogHandler() })
    }

    /// The enrolment that is in force; throws where there is none.
    func enrolment() async throws -> EnrolmentRecord {
        guard let state = try await database.latestEnrolment(), state.withdrawn == nil else {
            throw EnrolmentError.notEnrolled
        }
        return state.record
    }
}
