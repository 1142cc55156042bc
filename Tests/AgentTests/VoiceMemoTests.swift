// SPDX-License-Identifier: Apache-2.0
import Hardware
import Logging
import Simulation
import Store
import StudyEngine
import Synchronization
import Testing
import Times

@testable import Agent

/// The system's clock, with a wall that shows a Monday morning.
private struct MondayClock: StudyClock {
    private let base = SystemClock()
    private let start: (wall: Instant, monotonic: MonotonicTime)

    init() throws { start = (try Instant(rfc3339: "2026-03-02T10:00:00Z"), base.monotonic) }
    var now: Instant { start.wall + (base.monotonic - start.monotonic) }
    var monotonic: MonotonicTime { base.monotonic }
    func sleep(until deadline: MonotonicTime) async throws { try await base.sleep(until: deadline) }
}

/// The whole agent on a board of three keys, a light, a microphone and a loudspeaker, with a study of one free text.
private final class Agency: Sendable {
    static let study = """
        {"properties":{"study_id":"Memo","study_name":"Memo","post_url":"http://127.0.0.1:9/post","conditions":["A"],
        "instructions":"","empty_msg":"","banner_url":"","support_url":"","support_email":"","cache":false,"ethics":"",
        "pls":""},"modules":[{"type":"survey","name":"Diary","submit_text":"Send","condition":"*","uuid":"diary",
        "unlock_after":[],"shuffle":false,"graph":{"display":false},"alerts":{"title":"Now","message":"Tell",
        "start_offset":-1,"duration":1,"times":[{"hours":0,"minutes":0}],"random":false,"random_interval":0,
        "sticky":true,"sticky_label":"","timeout":false,"timeout_after":0},"sections":[{"name":"S","shuffle":false,
        "questions":[{"id":"words","type":"text","subtype":"long","text":"In your own words?","required":false}]}]}]}
        """
    static let board = """
        name = "booth"
        button = [{ name = "previous", device = "simulated", code = 105 },
            { name = "select", device = "simulated", code = 28 }, { name = "next", device = "simulated", code = 106 }]
        light = [{ name = "status", device = "simulated", rgb = true }]
        microphone = { device = "simulated", rate = 16000 }
        loudspeaker = { device = "simulated", rate = 22050 }
        world = { script = "still 60s" }
        """
    static let (select, next): (UInt16, UInt16) = (28, 106)

    let fixture: SoundFixture
    let runtime: AgentRuntime
    private let clock: MondayClock
    private let keys: SimulatedKeys
    private let fingers: SteppedThread
    private let panel: SimulatedPanelFolder
    private let told: TellingLog

    init() async throws {
        let clock = try MondayClock()
        let fixture = try SoundFixture()
        let told = TellingLog()
        (self.clock, self.fixture, self.told) = (clock, fixture, told)
        keys = try SimulatedKeys(path: fixture.path + "/keys")
        fingers = try SteppedThread(keys, clock: { clock.monotonic })
        panel = try SimulatedPanelFolder(isColoured: true)
        var log = Logger(label: "test")
        log.logLevel = .critical
        var surroundings = AgentRuntime.Surroundings(trust: ClockTrust { (.simulated, .milliseconds(1)) }, log: log)
        surroundings.clock = clock
        surroundings.parts.keys = keys.path
        surroundings.parts.lights["status"] = panel.light
        surroundings.parts.microphone = PCMParameters(
            device: "mic",
            configuration: ALSAConfiguration.filePlugin(
                name: "mic",
                infile: try fixture.file("in.raw", SoundFixture.bytes(SoundFixture.ramp(60 * 16_000)))),
            rate: 16_000, pacing: .byClock)
        surroundings.parts.loudspeaker = PCMParameters(
            device: "speaker",
            configuration: ALSAConfiguration.filePlugin(name: "speaker", outfile: "/dev/null"), rate: 22_050,
            pacing: .byClock)
        surroundings.observer = { told.note($0) }
        var configuration = AgentConfiguration(
            board: "booth", state: fixture.path + "/state", zone: "UTC", recordingsURL: "http://127.0.0.1:9/files/")
        // What would be said is heard by the observer; rendering it would only take time.
        configuration.speech.isEnabled = false
        runtime = try await AgentRuntime(
            configuration, board: try BoardDescription(parsing: Self.board, file: "booth.toml"), surroundings)
    }

    func enrol() async throws {
        let loaded = try LoadedStudy(Array(Self.study.utf8), origin: "memo.json")
        _ = try await runtime.enroller.enrol(Enroller.Wish(loaded: loaded, participant: "ABC23456", seed: 1))
        runtime.enrolmentChanged()
        while runtime.view.now.conductor == nil { try await pause(.milliseconds(10)) }
    }

    /// Presses, and waits until `words` were told `count` times.
    func press(_ key: UInt16, hear words: String, _ count: Int = 1) async throws {
        keys.press(key: key, at: clock.monotonic, for: .milliseconds(60))
        fingers.wake()
        while told.count(words) < count { try await pause(.milliseconds(10)) }
        try await pause(.milliseconds(120))
    }

    func pause(_ duration: Duration) async throws { try await clock.sleep(until: clock.monotonic + duration) }

    /// Files of recordings, finished or not.
    var files: [String] {
        SoundFixture.names(in: fixture.path + "/state/recordings").filter { $0.first?.isNumber == true }
    }

    func stop() { fingers.stop() }
}

/// What was told so far: what is spoken, and the names of the cues.
private final class TellingLog: Sendable {
    private let words = Mutex<[String]>([])

    func note(_ glimpse: AgentGlimpse) {
        for case .panel(.signal(let plan)) in glimpse.effects {
            words.withLock { $0 += plan.speech + ["\(plan.cue)"] }
        }
    }

    func count(_ word: String) -> Int { words.withLock { $0.count { $0 == word } } }
}

extension SoundSuites {
    @Suite(.timeLimit(.minutes(10))) struct VoiceMemoTests {
        /// By keys, through the whole agent: one memo is thrown away, one is kept; the kept one is registered with its answer.
        @Test func aMemoIsRegisteredWithItsSubmissionAndNotBefore() async throws {
            let agency = try await Agency()
            let runtime = agency.runtime
            async let running: Void = runtime.run()
            try await agency.enrol()
            try await agency.press(Agency.select, hear: "Diary")
            try await agency.press(Agency.select, hear: "Question 1")
            try await agency.press(Agency.next, hear: "Record")
            try await agency.press(Agency.select, hear: "recordingStarted")
            try await agency.pause(.milliseconds(500))
            try await agency.press(Agency.select, hear: "Keep")
            while !agency.files.contains(where: { $0.hasSuffix(".flac") }) { try await agency.pause(.milliseconds(10)) }
            #expect(try await runtime.database.recordingViews().isEmpty)
            try await agency.press(Agency.next, hear: "Listen")
            try await agency.press(Agency.next, hear: "Record again")
            try await agency.press(Agency.select, hear: "Taken back")
            #expect(agency.files == [])
            try await agency.press(Agency.next, hear: "Record", 2)
            try await agency.press(Agency.select, hear: "recordingStarted", 2)
            try await agency.pause(.milliseconds(500))
            try await agency.press(Agency.select, hear: "Keep", 2)
            try await agency.press(Agency.select, hear: "accepted")
            #expect(try await runtime.database.recordingViews().isEmpty)
            try await agency.press(Agency.select, hear: "Thank you. Saved")

            let views = try await runtime.database.recordingViews()
            #expect(views.count == 1 && agency.files.count == 2)
            var identifiers: Set<String> = []
            var posts: [String] = []
            for item in try await runtime.database.items() {
                switch try await runtime.database.content(of: item) {
                case .file(let file):
                    identifiers.insert(file.metadata["identifier"] ?? "none")
                    #expect(file.recording == views.first?.recording.id)
                case .request(let request): posts.append(String(decoding: request.body, as: UTF8.self))
                }
            }
            let identifier = try #require(identifiers.first)
            #expect(identifiers.count == 1 && identifier.hasPrefix("voice:") && identifier.hasSuffix("-2"))
            #expect(posts.count { $0.contains("\"\(identifier)\"") } == 1)
            await runtime.stop()
            try await running
            agency.stop()
        }
    }
}
