// SPDX-License-Identifier: Apache-2.0
import Simulation
import Synchronization
import SystemKit
import Testing

@testable import Agent
@testable import Base
@testable import Device
@testable import Study

@Suite struct SpokenMemoTests {
    private static let source = SourceDescription(
        kind: .sound, device: "microphone", location: "mic",
        channels: [Channel(name: "sound", unit: .pcm, scale: 1.0 / 32_768)], nominalRate: 16_000, fullScale: 1)
    private static let start = Instant(seconds: 1_795_255_200)

    /// A microphone that gives 64 blocks of 250 samples in a second.
    private final class Booth {
        let bench = RecordingBench()
        let folder: RecordingFolder
        let memo: SpokenMemo
        var anchors: [ClockAnchor] = []
        private let splitter: SoundSplitter
        private let microphone = FrameRing(capacity: 256, repeating: SoundFrame(time: .zero))
        private(set) var now = MonotonicTime(seconds: 100)

        init() throws {
            folder = try bench.folder()
            splitter = SoundSplitter(source: microphone, measure: nil, rate: SpokenMemoTests.source.nominalRate)
            memo = SpokenMemo(
                splitter, of: SpokenMemoTests.source,
                origin: RecordingOrigin(study: "s", participant: nil, deviceID: 1, bootID: "b", zone: .utc),
                folder: folder)
        }

        /// What became of the memo meanwhile; nothing while the disk holds the thread that writes it.
        @discardableResult
        func speak(seconds: Int, lostBefore: Int = 0, isHeld: Bool = false) -> RecorderNews? {
            var news: RecorderNews?
            for second in 0..<seconds {
                for block in 0..<64 {
                    var frame = SoundFrame(time: now + .microseconds(15_625 * block))
                    frame.count = 250
                    for index in 0..<250 { frame.samples[index] = Int16(index - 125) * Int16(second % 100) }
                    if second == 0, block == 0, lostBefore > 0 {
                        (frame.lostBefore, frame.reason) = (
                            UInt32(lostBefore), LossReason.soundOverrun.rawValue
                        )
                    }
                    microphone.push(frame)
                }
                splitter.pump()
                now = now + .seconds(1)
                if !isHeld { news = memo.drain(at: now, anchors: anchors) ?? news }
            }
            return news
        }

        func skip(seconds: Int) { now = now + .seconds(seconds) }
    }

    private static func anchor(_ uptime: Double, off: Duration = .zero) -> ClockAnchor {
        ClockAnchor(
            monotonic: MonotonicTime(seconds: uptime), instant: start + .seconds(uptime) + off, source: .kernel,
            uncertainty: .milliseconds(5))
    }

    /// Shortly after a boot the clock becomes known, or is put right by two seconds, while somebody
    /// speaks: an answer names one file, with all that was said, by the time that is right.
    @Test(arguments: [[], [anchor(90, off: .seconds(2))]]) func aClockThatIsSetMeanwhileCutsNoMemo(
        before: [ClockAnchor]
    ) throws {
        let booth = try Booth()
        booth.anchors = before
        try #require(booth.memo.start("m", at: booth.now))
        booth.speak(seconds: 3)
        booth.anchors = [Self.anchor(103)]
        booth.speak(seconds: 4)
        booth.memo.end(after: booth.now, at: booth.now)
        guard case .memo("m", let file)? = booth.speak(seconds: 1) else { return #expect(Bool(false), "no memo") }
        let sound = try FLACReader.read(File(file.path, .read))
        #expect(abs(sound.samples.count - 7 * 16_000) <= 250 && !sound.isDamaged)
        #expect(file.description.startDate == (Self.start + .seconds(100)).rfc3339(offset: 0))
        #expect(try booth.folder.sealed().recordings == [file])
    }

    /// Other answers do not wait for the clock either.
    @Test func anAnswerSpokenWhileTheClockIsUnknownIsKept() throws {
        let booth = try Booth()
        try #require(booth.memo.start("m", at: booth.now))
        booth.speak(seconds: 4)
        booth.memo.end(after: booth.now, at: booth.now)
        guard case .memo("m", let file)? = booth.speak(seconds: 1) else { return #expect(Bool(false), "no memo") }
        let sound = try FLACReader.read(File(file.path, .read))
        #expect(abs(sound.samples.count - 4 * 16_000) <= 250 && !sound.isDamaged)
        #expect(file.description.clock == .unknown && file.description.startDate == nil)
        #expect(try booth.folder.sealed().recordings == [file])
    }

    /// The order of a press waits with the thread, and what was said meanwhile is no answer.
    @Test func whatIsSaidAfterThePressIsNotInTheMemoThoughTheDiskHoldsItsOrder() throws {
        let booth = try Booth()
        booth.anchors = [Self.anchor(90)]
        try #require(booth.memo.start("m", at: booth.now))
        booth.speak(seconds: 2)
        let pressed = booth.now
        booth.speak(seconds: 3, isHeld: true)
        booth.memo.end(after: pressed, at: booth.now)
        guard case .memo("m", let file)? = booth.speak(seconds: 1) else { return #expect(Bool(false), "no memo") }
        #expect(abs(file.description.samplesStored - 2 * 16_000) <= 250)
    }

    /// Both presses of a second memo, and the end of the first, wait with the thread, and ten seconds of
    /// sound with them.
    @Test func aMemoBeginsAtThePressThoughTheDiskHoldsItsOrder() throws {
        let bench = RecordingBench()
        let clock = VirtualClock(now: Self.start)
        let microphone = FrameRing(capacity: 1024, repeating: SoundFrame(time: .zero))
        let told = Mutex<[SealedRecording]>([])
        let onNews: @Sendable (RecorderNews) -> Void = { news in
            if case .memo(_, let file) = news { told.withLock { $0.append(file) } }
        }
        let loop = try RecorderLoop(
            sources: [], microphone: microphone, soundSource: Self.source, position: nil,
            origin: RecordingOrigin(study: "s", participant: nil, deviceID: 1, bootID: "b", zone: .utc),
            folder: bench.folder(), clock: clock, heartbeat: nil, trace: nil, onNews: onNews)
        let anchor = Self.anchor(90)
        loop.startMemo("a", from: MonotonicTime(seconds: 100), [anchor])
        for block in 0..<640 {
            var frame = SoundFrame(time: MonotonicTime(seconds: 100) + .microseconds(15_625 * block))
            frame.count = 250
            microphone.push(frame)
        }
        clock.advance(to: MonotonicTime(seconds: 110))
        var isHeld = true
        _ = loop.drain([anchor]) {
            guard isHeld else { return }
            isHeld = false
            loop.stopMemo(at: MonotonicTime(seconds: 103))
            loop.startMemo("b", from: MonotonicTime(seconds: 104), [anchor])
            loop.stopMemo(at: MonotonicTime(seconds: 108))
        }
        let files = told.withLock { $0 }.map(\.description)
        #expect(!isHeld && files.count == 2)
        for (file, (start, seconds)) in zip(files, [(100.0, 3), (104.0, 4)]) {
            #expect(abs(file.startUptime - start) < 0.001 && abs(file.samplesStored - seconds * 16_000) <= 250)
        }
        _ = loop.stop([anchor])
    }

    /// A microphone gives its sound in blocks, and one may be all that a short answer has.
    @Test func anAnswerWithinOneBlockHasItsSound() throws {
        let booth = try Booth()
        booth.anchors = [Self.anchor(90)]
        let pressed = booth.now + .milliseconds(5)
        try #require(booth.memo.start("m", at: pressed))
        booth.memo.end(after: pressed + .milliseconds(5), at: booth.now)
        guard case .memo("m", let file)? = booth.speak(seconds: 1) else { return #expect(Bool(false), "no memo") }
        #expect(file.description.samplesStored == 250 - 80)
        #expect(abs(file.description.startUptime - 100.005) < 0.000_1)
    }

    /// FLAC cannot show a gap, so that one of two minutes ends the file; the shorter part is kept
    /// nowhere.
    @Test func ofTwoPartsTheLongerIsTheAnswer() throws {
        let booth = try Booth()
        booth.anchors = [Self.anchor(90)]
        try #require(booth.memo.start("m", at: booth.now))
        booth.speak(seconds: 70)
        booth.skip(seconds: 120)
        booth.speak(seconds: 5, lostBefore: 120 * 16_000)
        booth.memo.end(after: booth.now, at: booth.now)
        guard case .memo("m", let file)? = booth.speak(seconds: 1) else { return #expect(Bool(false), "no memo") }
        #expect(abs(file.description.samplesStored - 70 * 16_000) <= 250)
        #expect(try booth.folder.sealed().recordings == [file])
    }
}
