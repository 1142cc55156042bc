// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import Logging
import Simulation
import Synchronization
import SystemKit
import Testing

@testable import Agent
@testable import Study

/// The system's clock, with a wall that shows a Monday morning.
private struct MondayClock: StudyClock {
    private let base = SystemClock()
    private let start: (wall: Instant, monotonic: MonotonicTime)

    init() throws { start = (try Instant(rfc3339: "2026-03-02T10:00:00Z"), base.monotonic) }
    var now: Instant { start.wall + (base.monotonic - start.monotonic) }
    var monotonic: MonotonicTime { base.monotonic }
    var marks: ClockMarks { base.marks }
    func sleep(until deadline: MonotonicTime) async throws { try await base.sleep(until: deadline) }
}

/// The whole agent on a board of three keys, a light, a microphone and a loudspeaker, with a study
/// of one free text.
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
    /// The same with a server that takes the file of an answer: an input for sound of ESMira.
    static let sounds = """
        {"id":4711,"title":"Memo","accessKeys":["studyd"],"questionnaires":[{"internalId":50001,"title":"Diary",
        "pages":[{"inputs":[{"name":"say","responseType":"record_audio","text":"In your own words?"}]}]}]}
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
    private let watch: FolderWatch
    /// When the last press has ended: a key that is held has the others ignored.
    private let released = Mutex(MonotonicTime.zero)

    init(encryption: EncryptionSettings? = nil) async throws {
        let clock = try MondayClock()
        let fixture = try SoundFixture()
        let told = TellingLog()
        (self.clock, self.fixture, self.told) = (clock, fixture, told)
        keys = try SimulatedKeys(path: fixture.path + "/keys")
        fingers = try SteppedThread(keys, clock: { clock.monotonic })
        panel = try SimulatedPanelFolder(isColoured: true)
        var log = Logger(label: "test")
        log.logLevel = .critical
        var surroundings = AgentRuntime.Options(trust: ClockTrust { (.simulated, .milliseconds(1)) }, log: log)
        surroundings.clock = clock
        surroundings.parts.keys = keys.path
        surroundings.parts.lights["status"] = panel.light
        surroundings.parts.microphone = PCMParameters(
            device: "mic",
            configuration: ALSAConfiguration.filePlugin(
                name: "mic", infile: "/dev/zero"), rate: 16_000, pacing: .byClock)
        surroundings.parts.loudspeaker = PCMParameters(
            device: "speaker",
            configuration: ALSAConfiguration.filePlugin(name: "speaker", outfile: "/dev/null"), rate: 22_050,
            pacing: .byClock)
        surroundings.observer = { told.record($0) }
        var configuration = AgentConfiguration(
            board: "booth", state: fixture.path + "/state", zone: "UTC",
            destinations: [.recordings(to: "http://127.0.0.1:9/files/")])
        // What would be said is heard by the observer; rendering it would only take time.
        configuration.speech.isEnabled = false
        configuration.encryption = encryption
        runtime = try await AgentRuntime(
            configuration, board: try BoardDescription(parsing: Self.board, file: "booth.toml"), surroundings)
        watch = try FolderWatch(fixture.path + "/state/recordings")
    }

    /// Enrols, and runs the agent while `life` lasts. Whichever of the two fails ends the other.
    func live(study: String = study, _ life: @escaping @Sendable (Agency) async throws -> Void) async throws {
        defer { fingers.stop() }
        try await enrol(study)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { self.told.end() }
                try await self.runtime.run()
            }
            tasks.addTask {
                try await self.told.wait { self.runtime.view.now.conductor != nil }
                try await life(self)
                await self.runtime.stop()
            }
            try await tasks.waitForAll()
        }
    }

    /// Before the agent runs: a change of enrolment while it runs restarts its buttons, and a press
    /// would be lost.
    private func enrol(_ study: String) async throws {
        let loaded = try LoadedStudy(Array(study.utf8), origin: "memo.json")
        _ = try await runtime.enroller.enrol(
            EnrolmentOptions(loaded: loaded, participant: "ABC23456", seed: 1, postURL: "http://127.0.0.1:9/"))
    }

    /// Presses, and waits until `words` were told `count` times.
    func press(_ key: UInt16, hear words: String, _ count: Int = 1) async throws {
        let length = Duration.milliseconds(60)
        let start = released.withLock { released in
            let start = max(clock.monotonic, released + .milliseconds(1))
            released = start + length
            return start
        }
        keys.press(key: key, at: start, for: length)
        fingers.wake()
        try await told.wait { self.told.count(words) >= count }
    }

    /// Waits until the names of the recordings' files are as wanted.
    func see(_ what: String, _ wanted: ([String]) -> Bool) async throws {
        while !wanted(files) { try await onThread("test-watch") { [watch] in try watch.wait(for: what) } }
    }

    /// Files of recordings, finished or not.
    var files: [String] {
        SoundFixture.names(in: fixture.path + "/state/recordings").filter { $0.first?.isNumber == true }
    }
}

/// What was presented so far: what is spoken, and the names of the cues. One task at a time may
/// wait.
private final class TellingLog: Sendable {
    private let words = Mutex<[String]>([])
    private let changes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    struct Ended: Error {}

    func record(_ glimpse: AgentSnapshot) {
        for case .device(.signal(let plan)) in glimpse.effects {
            words.withLock { $0 += plan.speech.map(\.text) + ["\(plan.cue)"] }
        }
        changes.continuation.yield()
    }

    func count(_ word: String) -> Int { words.withLock { $0.count { $0 == word } } }

    /// Looks again after every event of the agent. Throws when the agent ends before, or the
    /// task is cancelled.
    func wait(until holds: () -> Bool) async throws {
        if holds() { return }
        for await _ in changes.stream where holds() { return }
        throw Ended()
    }

    func end() { changes.continuation.finish() }
}

/// Tells of every name that comes or goes in a folder.
private final class FolderWatch: Sendable {
    private let descriptor: CInt

    struct Missed: Error, CustomStringConvertible { let description: String }

    init(_ path: String) throws {
        descriptor = inotify_init1(CInt(IN_CLOEXEC))
        let events = UInt32(IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE)
        guard inotify_add_watch(descriptor, path, events) >= 0 else {
            throw Missed(description: "cannot watch \(path)")
        }
    }

    deinit { close(descriptor) }

    /// Blocks its thread until something changed since the last call; throws after a minute.
    func wait(for what: String) throws {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, 60_000) > 0 else { throw Missed(description: "not within a minute: \(what)") }
        var buffer = [UInt8](repeating: 0, count: 4096)
        _ = read(descriptor, &buffer, buffer.count)
    }
}

extension SoundSuites {
    @Suite(.timeLimit(.minutes(10))) struct VoiceMemoTests {
        /// By keys, through the whole agent: one memo is thrown away, one is kept; the kept one is
        /// registered with its answer.
        @Test func aMemoIsRegisteredWithItsSubmissionAndNotBefore() async throws {
            try await Agency().live { agency in
                try await agency.press(Agency.select, hear: "Diary")
                try await agency.press(Agency.select, hear: "Question 1")
                try await Self.speak(agency, 1)
                #expect(try await agency.runtime.database.recordingViews().isEmpty)
                try await agency.press(Agency.next, hear: "Listen")
                try await agency.press(Agency.next, hear: "Record again")
                try await agency.press(Agency.select, hear: "Undone")
                #expect(agency.files == [])
                try await Self.speak(agency, 2)
                try await agency.press(Agency.select, hear: "accepted")
                #expect(try await agency.runtime.database.recordingViews().isEmpty)
                try await agency.press(Agency.select, hear: "Thank you. Saved")
                try await Self.checkWhatWasSent(agency)
            }
        }

        /// What is sent, its order and its number are the app's (`Input.setFile`, `Web.syncFiles`,
        /// ESMira-apps f750e58).
        @Test func theFileOfAnAnswerIsQueuedBehindTheAnswersThatNameItWhereTheServerTakesFiles() async throws {
            try await Agency().live(study: Agency.sounds) { agency in
                try await agency.press(Agency.select, hear: "Diary")
                try await agency.press(Agency.select, hear: "Question 1")
                try await Self.speak(agency, 1)
                try await agency.press(Agency.select, hear: "accepted")
                try await agency.press(Agency.select, hear: "Thank you. Saved")
                let database = agency.runtime.database
                let items = try await database.items().filter { $0.item.destination == "esmira" }
                let file = try #require(items.first { $0.item.file != nil }?.item)
                let answers = try #require(items.first { $0.item.id == file.follows })
                guard case .request(let request) = try await database.content(of: answers) else {
                    Issue.record("answers are a request")
                    return
                }
                let number = try #require(file.file?.metadata["identifier"])
                #expect(String(decoding: request.body, as: UTF8.self).contains("\"say\":\"\(number)\""))
                #expect(file.file?.recording != nil && file.file?.contentType == "audio/flac")
            }
        }

        /// The whole agent: nothing of the sound, and no answer that waits, is readable on the disk,
        /// also while it is played back; the lab and the study's server get both.
        @Test func aSealedDeviceKeepsAMemoThatOnlyTheLabAndItselfCanHear() async throws {
            let lab = try #require(AgeIdentity(secret: [UInt8](repeating: 17, count: 32)))
            let encryption = EncryptionSettings(recipients: [lab.recipient])
            try await Agency(encryption: encryption).live(study: Agency.sounds) { agency in
                try await agency.press(Agency.select, hear: "Diary")
                try await agency.press(Agency.select, hear: "Question 1")
                try await Self.speak(agency, 1)
                try await agency.press(Agency.next, hear: "Listen")
                try await agency.press(Agency.select, hear: "Listen")
                try await agency.press(Agency.next, hear: "Record again")
                try await agency.press(Agency.next, hear: "Keep", 2)
                try await agency.press(Agency.select, hear: "accepted")
                try await agency.press(Agency.select, hear: "Thank you. Saved")
                let folder = agency.fixture.path + "/state/recordings"
                let name = try #require(agency.files.first { $0.hasSuffix(".flac.age") })
                #expect(try FileInspector.problems(of: folder + "/" + name, opening: [lab]) == [])
                let bytes = try BoundedFile.read(folder + "/" + name)
                #expect(!String(decoding: bytes, as: UTF8.self).contains("fLaC"))
                let item = try #require(
                    try await agency.runtime.database.items().first {
                        $0.item.destination == "esmira" && $0.item.file != nil
                    })
                #expect(item.item.file?.contentType == "audio/flac")
                let key = try AgeIdentity.all(in: BoundedFile.text(agency.fixture.path + "/state/seal.key"))
                #expect(try AgeReader.open(bytes, key).starts(with: "fLaC".utf8))
            }
        }

        /// A memo of some samples, for the `count`th time, until it is offered to be kept and
        /// its file is sealed.
        private static func speak(_ agency: Agency, _ count: Int) async throws {
            try await agency.press(Agency.next, hear: "Record", count)
            try await agency.press(Agency.select, hear: "recordingStarted", count)
            try await agency.see("the memo's first samples") {
                $0.contains { $0.contains(".flac") && $0.hasSuffix(".partial") }
            }
            try await agency.press(Agency.select, hear: "Keep", count)
            // The draft of its description goes last.
            try await agency.see("the sealed memo") { names in
                names.contains { $0.hasSuffix(".flac") || $0.hasSuffix(".flac.age") }
                    && !names.contains { $0.hasSuffix(".open") }
            }
        }

        private static func checkWhatWasSent(_ agency: Agency) async throws {
            let runtime = agency.runtime
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
        }
    }
}
