// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import Patience
import SystemKit
import Testing

@testable import Agent
@testable import PlatformSchema
@testable import Study

/// A real capture from a file, and the recorder thread behind it.
private final class Booth {
    static let rate = 16_000
    /// Longer than any test listens: the `file` plugin begins again at its end, but not at
    /// the very sample.
    static let input = SoundFixture.ramp(30 * rate)
    let fixture: SoundFixture
    let folder: RecordingFolder
    let news: Handed<RecorderNews>
    let capture: PCMCapture
    let recorder: RecorderThread

    init(measuresSound: Bool = false) throws {
        let clock = SystemClock()
        fixture = try SoundFixture()
        folder = try RecordingFolder(fixture.path + "/recordings")
        let parameters = PCMParameters(
            device: "mic",
            configuration: ALSAConfiguration.filePlugin(
                name: "mic", infile: try fixture.file("in.raw", SoundFixture.bytes(Self.input))),
            rate: Self.rate, pacing: .byClock)
        let ring = FrameRing(capacity: 2_048, repeating: SoundFrame(time: .zero))
        let source = SourceDescription(
            kind: .sound, device: "microphone", location: "mic",
            channels: [Channel(name: "sound", unit: .pcm, scale: 1.0 / 32_768)], nominalRate: Double(Self.rate),
            fullScale: 1)
        let measured = FrameRing(capacity: 2_048, repeating: SoundFrame(time: .zero))
        let sound = RecorderThread.Source(
            measure: MeasureConfiguration(identifier: "sound", format: .flac), input: .sound(measured), source: source)
        let news = try Handed<RecorderNews>()
        self.news = news
        let loop = try RecorderLoop(
            sources: measuresSound ? [sound] : [], microphone: ring, soundSource: source,
            origin: RecordingOrigin(study: "S", participant: "P", deviceID: 1, bootID: "boot", zone: .utc),
            folder: folder, clock: clock, onNews: { news.add($0) })
        recorder = try RecorderThread(loop, clock: clock)
        recorder.setAnchors([
            ClockAnchor(
                monotonic: clock.monotonic, instant: clock.now, source: .simulated, uncertainty: .milliseconds(1))
        ])
        capture = try PCMCapture(parameters, ring: ring, clock: clock)
    }

    /// Waits until the microphone has given `count` more samples; not for ever, because a
    /// blocked test is not ended by its time limit.
    func hear(_ count: Int) {
        let start = capture.counters.framesRead
        let end = SystemClock().monotonic + patience
        while capture.counters.framesRead < start + count, SystemClock().monotonic < end { Waker.pause() }
    }

    /// Begins a memo, and waits until it has begun: the second one is refused then. Otherwise
    /// a thread that is late could find the memo's end together with its beginning, and
    /// nothing between.
    func begin(_ id: String) {
        recorder.startMemo(id)
        recorder.startMemo("beside " + id)
        _ = memo("beside " + id)
    }

    func memo(_ id: String, samples: Int) -> SealedRecording? {
        begin(id)
        hear(samples)
        recorder.stopMemo()
        return memo(id)
    }

    func memo(_ id: String) -> SealedRecording? {
        let told = news.wait(for: 1) {
            switch $0 {
            case .memo(id, _), .memoFailed(id): true
            default: false
            }
        }
        if case .memo(_, let recording)? = told.first { return recording } else { return nil }
    }

    func close() {
        capture.stop()
        recorder.stop()
    }
}

extension Waker {
    /// Until a thread that cannot be waited for has gone on.
    fileprivate static func pause() { (try? Waker())?.wait(atMost: .milliseconds(5)) }
}

/// True where `samples` is an unbroken stretch of `input`.
private func isStretch(_ samples: [Int16], of input: [Int16]) -> Bool {
    guard let first = samples.first, samples.count <= input.count else { return false }
    return (0...input.count - samples.count).contains { start in
        input[start] == first && input[start..<start + samples.count] == samples[...]
    }
}

extension SoundSuites {
    @Suite(.timeLimit(.minutes(10))) struct RecorderThreadTests {
        @Test func aMemoOfTwoSecondsIsASealedFLACFileOfTheSamplesThatWereHeard() throws {
            let booth = try Booth()
            let memo = try #require(booth.memo("run-1-1-1", samples: 2 * Booth.rate))
            booth.close()
            let sound = try FLACReader.read(File(memo.path, .read))
            #expect(sound.rate == Booth.rate && sound.channels == 1 && !sound.isDamaged)
            #expect(sound.samples.count >= 2 * Booth.rate - Booth.rate / 5)
            let isWhole = isStretch(sound.samples, of: Booth.input)
            #expect(isWhole)
            #expect(memo.description.samplesStored == sound.samples.count && memo.description.totalLost == 0)
            #expect(memo.description.identifier == "voice:run-1-1-1" && memo.memo == "run-1-1-1")
            #expect(memo.path.hasSuffix(".flac"))
            #expect(try booth.folder.sealed().recordings == [memo])
        }

        /// A microphone gives its sound half a second at a time: what was said before the
        /// press comes after it.
        @Test func theLastWordBeforeThePressIsInTheMemo() throws {
            let booth = try Booth()
            booth.begin("m")
            booth.hear(Booth.rate)
            // In the middle between two periods.
            let pressed = SystemClock().monotonic + .milliseconds(250)
            while SystemClock().monotonic < pressed { Waker.pause() }
            booth.recorder.stopMemo()
            let memo = try #require(booth.memo("m"))
            let told = SystemClock().monotonic
            booth.close()
            let end = memo.description.endUptime
            #expect(end >= Double(pressed.nanoseconds) / 1e9 - 0.01 && end <= Double(told.nanoseconds) / 1e9)
        }

        @Test func aMemoThatBeginsBeforeTheLastOneHasItsEndLosesNeither() throws {
            let booth = try Booth()
            booth.begin("a")
            booth.hear(Booth.rate)
            booth.recorder.stopMemo()
            booth.recorder.startMemo("b")
            let first = try #require(booth.memo("a"))
            booth.hear(Booth.rate)
            booth.recorder.stopMemo()
            let second = try #require(booth.memo("b"))
            booth.close()
            #expect(first.number < second.number)
            for memo in [first, second] {
                #expect(isStretch(try FLACReader.read(File(memo.path, .read)).samples, of: Booth.input))
            }
        }

        @Test(.enabled(if: SoundFixture.hasFLAC, "the reference decoder flac is not installed"))
        func theReferenceDecoderReadsAMemo() throws {
            let booth = try Booth()
            let memo = try #require(booth.memo("m", samples: Booth.rate / 2))
            booth.close()
            let raw = booth.fixture.path + "/out.raw"
            let ended = try BoundedProgram(
                name: "flac",
                arguments: [
                    "--silent", "-d", "--force-raw-format", "--endian=little", "--sign=signed", "-o", raw, memo.path,
                ]
            ).run(input: [], limit: .seconds(20))
            #expect(ended.status == 0)
            #expect(isStretch(try booth.fixture.played(), of: Booth.input))
        }

        @Test func aDiscardedMemoLeavesNoFile() throws {
            let booth = try Booth()
            let memo = try #require(booth.memo("m", samples: Booth.rate / 4))
            var shelf = PendingVoiceMemos()
            #expect(shelf.keep(memo, of: "m") == nil)
            let unwanted = shelf.discard("m")
            booth.folder.discard(try #require(unwanted))
            booth.close()
            #expect(SoundFixture.names(in: booth.fixture.path + "/recordings").filter { $0.hasPrefix("0") } == [])
            #expect(try booth.folder.sealed().recordings.isEmpty)
        }

        @Test func memoAndMeasureHearTheSame() throws {
            let booth = try Booth(measuresSound: true)
            let memo = try #require(booth.memo("m", samples: Booth.rate / 2))
            booth.close()
            let told = booth.news.wait(for: 1) { if case .sealed = $0 { true } else { false } }
            guard case .sealed(let measured)? = told.first, let whole = measured.first else {
                return #expect(Bool(false))
            }
            let spoken = try FLACReader.read(File(memo.path, .read)).samples
            let heard = try FLACReader.read(File(whole.path, .read)).samples
            #expect(isStretch(heard, of: Booth.input) && isStretch(spoken, of: Booth.input))
            #expect(heard.count >= spoken.count && whole.memo == nil)
        }

        @Test func onlyOneMemoIsSpokenAtATimeAndOneAfterAnother() throws {
            let booth = try Booth()
            booth.recorder.startMemo("a")
            booth.recorder.startMemo("b")
            #expect(booth.memo("b") == nil)
            booth.hear(4_000)
            booth.recorder.stopMemo()
            let first = try #require(booth.memo("a"))
            let second = try #require(booth.memo("c", samples: 4_000))
            booth.close()
            #expect(first.number != second.number)
            #expect(try booth.folder.sealed().recordings.count == 2)
        }

        @Test func stoppingTheThreadSealsTheMemoThatIsBeingSpoken() throws {
            let booth = try Booth()
            booth.begin("a")
            booth.hear(8_000)
            booth.close()
            let memo = try #require(booth.memo("a"))
            #expect(isStretch(try FLACReader.read(File(memo.path, .read)).samples, of: Booth.input))
        }

        /// The post says `voice:<id>`, the file's description says the same, and so does what is
        /// sent with the file.
        @Test func postDescriptionAndUploadAgreeOnTheId() throws {
            let booth = try Booth()
            let id = "enrolment-0-1-3-3-1"
            let memo = try #require(booth.memo(id, samples: 4_000))
            booth.close()
            let written = SchemaAnswer(.recording(id), to: .text(multiline: false), in: .utc).json.text
            #expect(written == "\"voice:\(id)\"")
            let onDisk = try RecordingDescription(
                json: BoundedFile.read(memo.descriptionPath), path: memo.descriptionPath)
            #expect("\"\(onDisk.identifier)\"" == written)
            var routes = DeliveryRoutes()
            routes.recordings = ["recordings"]
            let commit = RecordingRegistration(routes: routes, participant: "P", study: "S", enrolment: "E")
                .commit([memo])
            #expect(commit.drafts.count == 2)
            for draft in commit.drafts {
                guard case .file(let file) = draft.content else { return #expect(Bool(false)) }
                #expect(file.metadata["identifier"] == "voice:\(id)")
                #expect(file.recording == String(memo.number) && draft.itemClass == .answers)
            }
            // The description is there and the disk does not give it: the kernel answers EIO for
            // address 0 of /proc/self/mem.
            let text = try BoundedFile.read(memo.descriptionPath)
            try #require(unlink(memo.descriptionPath) == 0 && symlink("/proc/self/mem", memo.descriptionPath) == 0)
            let said = RecordingRegistration(routes: routes, participant: "P", study: "S", enrolment: "E")
                .commit([memo])
            try #require(unlink(memo.descriptionPath) == 0)
            try AtomicFile.write(text, to: memo.descriptionPath)
            let files = said.drafts.compactMap { if case .file(let file) = $0.content { file } else { nil } }
            #expect(files.map(\.bytes) == [Int64(memo.bytes), Int64(text.count)])
            #expect(try files.last?.sha256 == Digest(of: text).description)
            let faults = said.events.compactMap { if case .fault("recording", let text) = $0 { text } else { nil } }
            #expect(faults.count == 1 && faults[0].contains(memo.descriptionPath), "\(said.events)")
        }
    }
}
