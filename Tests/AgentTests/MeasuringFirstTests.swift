// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Device
import Glibc
import Logging
import Patience
import SimulatedWorld
import Simulation
import Synchronization
import SystemKit
import Testing

@testable import Agent
@testable import Study

/// A start measures first. What holds the rest up is SQLite itself: while another connection has a
/// write transaction open, no other begins one ("Isolation In SQLite",
/// sqlite.org/isolation.html: "there can only be one writer at a time").
@Suite(.serialized, .timeLimit(.minutes(20))) struct MeasuringFirstTests {
    @Test func samplesAreTakenForTheParticipantWhileTheLogIsReadAgain() async throws {
        try await MeasuringRig.with { rig in
            try await rig.firstLife()
            try rig.connection().execute("UPDATE projection SET version = 0")

            let runtime = try await rig.agent()
            #expect(await !runtime.database.isCurrent)
            nonisolated(unsafe) let writer = try rig.connection()
            try writer.execute("BEGIN IMMEDIATE")
            try await rig.run(runtime) {
                try await eventually("samples are taken") { rig.stored(runtime) > 0 }
                #expect(runtime.view.now.conductor == nil, "the study is not read yet")
                #expect(await !runtime.database.isCurrent)
                try writer.execute("ROLLBACK")
                try await eventually("the study is read") { runtime.view.now.conductor != nil }
                #expect(await runtime.database.isCurrent)
            }
            // One file of each life: nothing was begun again when the study had been read.
            #expect(rig.sealed() == ["000001-accelerometer.cwa", "000002-accelerometer.cwa"], "\(rig.description(2))")
            let owners = try rig.connection().rows("SELECT DISTINCT enrolment FROM recording") { try $0.string(0) }
            #expect(owners.count == 1 && owners != [""], "both are the participant's: \(owners)")
            let starts = try rig.connection().rows(
                "SELECT kind FROM event WHERE kind IN ('measuringStarted', 'measuringStopped') ORDER BY sequence"
            ) { try $0.string(0) }
            #expect(starts == ["measuringStarted", "measuringStopped", "measuringStarted", "measuringStopped"])
            let accounts = try rig.connection().rows("SELECT body FROM event WHERE kind = 'samplesCounted'") {
                try StudyEvent(kind: "samplesCounted", body: try $0.string(0))
            }
            let isOwed = accounts.contains {
                if case .samplesCounted(_, _, _, let due, let lost) = $0 {
                    due > 0 && lost == ["off": due]
                } else {
                    false
                }
            }
            #expect(isOwed, "of the time between the lives: \(accounts)")
        }
    }

    /// What such a life recorded is found by the next, as after a power cut; the log
    /// does not know of it.
    @Test func anEndWhileTheLogIsReadAgainLosesNothing() async throws {
        try await MeasuringRig.with { rig in
            try await rig.firstLife()
            try rig.connection().execute("UPDATE projection SET version = 0")
            nonisolated(unsafe) let writer = try rig.connection()
            let runtime = try await rig.agent()
            try writer.execute("BEGIN IMMEDIATE")
            try await rig.run(runtime) {
                try await eventually("samples are taken") { rig.stored(runtime) > 0 }
                await runtime.stop()
                try await eventually("they are sealed") { rig.sealed().count == 2 }
                try writer.execute("ROLLBACK")
            }
            try await rig.live { runtime in
                try await eventually("the study is read") { runtime.view.now.conductor != nil }
                try await eventually("there are new ones") { rig.stored(runtime) > 0 }
            }
            let known = try rig.connection().rows("SELECT id FROM recording ORDER BY id") { try $0.string(0) }
            #expect(known == ["1", "2", "3"], "each is registered, and once")
        }
    }

    /// The same of a store that is read and takes no row, as a full card's, where the last life removed a
    /// recording that the log does not know of yet: the end is an orderly one.
    @Test func anEndWhileTheStartIsRefusedSealsWhatWasMeasured() async throws {
        try await MeasuringRig.with { rig in
            try await rig.firstLife()
            try StoreReserve(rig.folder + "/state/reserve").note(removals: ["1 \(RemovalReason.retention.rawValue)"])
            let runtime = try await rig.agent()
            nonisolated(unsafe) let writer = try rig.connection()
            try writer.execute("BEGIN IMMEDIATE")
            try await rig.run(runtime) {
                try await eventually("samples are taken") { rig.stored(runtime) > 0 }
                #expect(await runtime.database.isCurrent)
                await runtime.stop()
                try await eventually("they are sealed") { rig.sealed().count == 2 }
                #expect(runtime.view.now.conductor == nil, "the start was refused")
                try writer.execute("ROLLBACK")
            }
            let ends = try rig.connection().rows("SELECT body FROM event WHERE kind = 'agentStopped'") {
                try $0.string(0)
            }
            #expect(ends.count == 2, "\(ends)")
        }
    }

    /// The log does not say yet that the participant has left, and then the power goes.
    @Test func whoHasLeftIsNotMeasuredThoughTheStoreRefusedToSaySo() async throws {
        try await MeasuringRig.with { rig in
            try await rig.firstLife()
            let database = try StudyDatabase(.file(rig.folder + "/state/studyd.sqlite"))
            let record = try #require(try await database.latestEnrolment()).record
            let stamp = EventStamp(
                wall: record.instant + .seconds(1), monotonic: MonotonicTime(nanoseconds: 1), bootID: "earlier",
                zoneOffset: 0, enrolment: record.id)
            let wish = LeavingWish(stamp, deletesData: nil)
            try await rig.live { runtime in
                try await eventually("it measures") { rig.stored(runtime) > 0 && runtime.view.now.conductor != nil }
                runtime.mailbox.post(.leaving(wish))
                try await eventually("the study has ended") {
                    runtime.view.now.conductor == nil && runtime.view.now.measures.isEmpty
                }
                runtime.mailbox.post(.enrolmentChanged)
                runtime.mailbox.post(.remark(place: "test", message: "all was read again"))
                try await eventually("nothing begins again") {
                    try rig.rows("SELECT body FROM event WHERE kind = 'fault'").contains { $0.contains("read again") }
                }
                #expect(runtime.view.now.conductor == nil && runtime.view.now.measures.isEmpty)
                #expect(try await runtime.database.latestEnrolment()?.withdrawn == nil)
                #expect(await runtime.database.note(wish))
            }
            try await rig.live { runtime in
                try await eventually("the next start stores it") {
                    try await runtime.database.latestEnrolment()?.withdrawn == stamp.wall
                }
                #expect(runtime.view.now.conductor == nil)
            }
        }
    }

    /// The store is lost, and the copy beside it says who takes part now.
    @Test func aWishOfAnEarlierParticipantDoesNotHideALostStore() async throws {
        try await MeasuringRig.with { rig in
            try await rig.firstLife()
            let store = rig.folder + "/state/studyd.sqlite"
            let wish = LeavingWish(Fixture.stamp(1, enrolment: "earlier"), deletesData: nil)
            try #require(StoreReserve(rig.folder + "/state/reserve").note(wish))
            for end in ["-wal", "-shm"] { unlink(store + end) }
            try AtomicFile.write([UInt8](repeating: 1, count: 8192), to: store)
            try await rig.live { runtime in
                try await eventually("the loss is named") { runtime.view.now.studyLoss != nil }
            }
        }
    }

    /// What is counted when measuring ends for one participant is the end of theirs, not the begin of the next.
    @Test func theSamplesOfOneWhoHasLeftAreNotCountedForTheNext() async throws {
        try await MeasuringRig.with { rig in
            try await rig.firstLife()
            try await rig.live { runtime in
                try await eventually("it measures for the first") { rig.stored(runtime) > 0 }
                let first = try await runtime.enroller.withdraw(deletesUnsent: false)
                let study = try LoadedStudy(AgentFixture.protocolText(days: 9, times: [(12, 0)]), origin: "study.json")
                let second = try await runtime.enroller.enrol(
                    EnrolmentOptions(loaded: study, participant: "DEF23456", seed: 2))
                runtime.enrolmentChanged()
                try await eventually("it measures for the second") {
                    try rig.rows("SELECT enrolment FROM event WHERE kind = 'measuringStarted'").last == second.id
                        && rig.stored(runtime) > 0
                }
                #expect(first.id != second.id)
                let ends = try rig.rows("SELECT enrolment FROM event WHERE kind = 'measuringStopped'")
                #expect(ends == [first.id, first.id])
                let counted = try rig.rows(
                    "SELECT enrolment FROM event WHERE kind = 'samplesCounted' AND body LIKE '%stopping%'")
                #expect(counted == [first.id, first.id])
            }
        }
    }

    /// A sealed recording is delivered by what its description says: one that cannot be read leaves
    /// a row where a researcher looks.
    @Test func aDescriptionThatCannotBeReadIsAFaultOfTheStart() async throws {
        try await MeasuringRig.with { rig in
            try await rig.firstLife()
            let name = rig.folder + "/state/recordings/000900-accelerometer"
            try AtomicFile.write([1], to: name + ".cwa")
            try #require(symlink("/proc/self/mem", name + ".json") == 0)
            try await rig.live { runtime in
                try await eventually("the study is read") { runtime.view.now.conductor != nil }
            }
            let faults = try rig.connection().rows("SELECT body FROM event WHERE kind = 'fault'") { try $0.string(0) }
            for ending in [".cwa", ".json"] { unlink(name + ending) }
            #expect(faults.filter { $0.contains("000900-accelerometer.json") }.count == 1, "\(faults)")
        }
    }
}

/// A board of one chip, one button and one light, with a study of one question.
final class MeasuringRig: Sendable {
    static let board = """
        name = "rig"
        bus = [{ name = "motion", device = "simulated" }]
        chip = [{ type = "LIS3DH", bus = "motion", address = 0x18 }]
        button = [{ name = "select", device = "simulated", code = 28 }]
        light = [{ name = "status", device = "simulated" }]
        world = { script = "still 60s" }
        """
    static let study = AgentFixture.protocolText(
        days: 9, times: [(12, 0)],
        questions: #"{"id":"alone","type":"yesno","text":"Alone?","required":true,"yes_text":"Yes","no_text":"No"}"#)
    let folder: String
    /// What the panel signalled, oldest first.
    let cues = Mutex<[Cue]>([])
    private let keys: SimulatedKeys
    private let panel: SimulatedPanelFolder
    private let bus = Mutex<SimulatedI2CBus?>(nil)

    static func with(_ body: (MeasuringRig) async throws -> Void) async throws {
        try await AgentFixture.inFolder { folder in
            mkdir(folder + "/state", 0o750)
            defer { system("rm -rf '\(folder)'") }
            try await body(MeasuringRig(folder))
        }
    }

    private init(_ folder: String) throws {
        self.folder = folder
        keys = try SimulatedKeys(path: folder + "/keys")
        panel = try SimulatedPanelFolder(isColoured: false)
    }

    /// Enrols, and lives until there is something recorded.
    func firstLife(rules: ((StudyProtocol) throws -> RulesFile)? = nil) async throws {
        let runtime = try await agent()
        let loaded = try LoadedStudy(Self.study, origin: "study.json")
        var options = EnrolmentOptions(loaded: loaded, participant: "ABC23456", seed: 1)
        options.rules = try rules?(loaded.study)
        _ = try await runtime.enroller.enrol(options)
        try await run(runtime) {
            try await eventually("the study is read") { runtime.view.now.conductor != nil }
            try await eventually("there is a past") { self.stored(runtime) > 0 }
        }
    }

    func connection() throws -> Connection { try Connection(.file(folder + "/state/studyd.sqlite")) }

    /// The first column, oldest first.
    func rows(_ query: String) throws -> [String] {
        try connection().rows(query + " ORDER BY sequence") { try $0.string(0) }
    }

    /// Takes the chip off its bus.
    func pullChip() { bus.withLock { $0?.detach(address: 0x18) } }

    func stored(_ runtime: AgentRuntime) -> Int { runtime.view.now.measures.first?.counts.stored ?? 0 }

    func sealed() -> [String] {
        SoundFixture.names(in: folder + "/state/recordings").filter { $0.hasSuffix(".cwa") }.sorted()
    }

    /// Of that recording, in which stands why it ended.
    func description(_ number: Int) -> String {
        (try? BoundedFile.text(folder + "/state/recordings/00000\(number)-accelerometer.json")) ?? ""
    }

    /// With a magnetometer of the kernel's at a rate of 33 Hz, if that is where it would be.
    func agent(field: IIODevice.Root? = nil, zone: String = "UTC") async throws -> AgentRuntime {
        let clock = SystemClock()
        var log = Logger(label: "test")
        log.handler = SwiftLogNoOpLogHandler()
        // A file ends when a later look at the clock shows its times to be off by more than that look
        // can be; a clock that vouches for a second only leaves half a second of room.
        var surroundings = AgentRuntime.Options(trust: ClockTrust { (.simulated, .seconds(1)) }, log: log)
        // A store that a test holds is waited for until the test lets go of it.
        surroundings.shutdown = patience
        surroundings.parts.keys = keys.path
        surroundings.parts.lights["status"] = panel.light
        let world = try World(script: "still 60s", start: clock.monotonic, seed: 1)
        let entry = try #require(SimulatedCatalog.chip(named: "LIS3DH"))
        let twin = entry.make(0x18, PhysicalInput(world), Specimen(noise: 0.01, seed: 1), clock.monotonic)
        let motion = SimulatedI2CBus(chips: [twin]) { clock.monotonic }
        bus.withLock { $0 = motion }
        surroundings.parts.buses["motion"] = motion
        surroundings.observer = { [weak self] snapshot in
            let cues = snapshot.effects.flatMap { effect -> [Cue] in
                if case .device(.signal(let plan)) = effect { plan.cues } else { [] }
            }
            self?.cues.withLock { $0 += cues }
        }
        let measure = ConfiguredMeasure(
            channel: .accelerometer, rate: 100, range: nil, activity: .enrolled, format: .cwa, rotation: .seconds(3600))
        let magnetometer = ConfiguredMeasure(
            channel: .magnetometer, rate: 33, range: nil, activity: .enrolled, format: .csv, rotation: .seconds(3600))
        if let field { surroundings.parts.kernelChips = field }
        var configuration = AgentConfiguration(
            board: "rig", state: folder + "/state", zone: zone,
            measures: field == nil ? [measure] : [measure, magnetometer])
        configuration.speech.isEnabled = false
        let chips = field == nil ? "0x18 }]" : "0x18 }, { type = \"IIO\", device = \"ak8963\" }]"
        let board = Self.board.replacing("0x18 }]", with: chips)
        return try await AgentRuntime(
            configuration, board: try BoardDescription(parsing: board, file: "rig.toml"), surroundings)
    }

    func live(_ life: @escaping @Sendable (AgentRuntime) async throws -> Void) async throws {
        let runtime = try await agent()
        try await run(runtime) { try await life(runtime) }
    }

    func run(_ runtime: AgentRuntime, _ life: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await runtime.run() }
            tasks.addTask {
                try await life()
                await runtime.stop()
            }
            try await tasks.waitForAll()
        }
    }
}
