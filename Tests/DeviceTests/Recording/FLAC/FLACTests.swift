// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

@testable import Base
@testable import Device

@Suite struct FLACTests {
    private static func tone(_ count: Int) -> [Int16] {
        var noise = Noise(seed: 3)
        return (0..<count).map { index in
            Int16(8000 * sin(Double(index) / 9)) + Int16.random(in: -50...50, using: &noise)
        }
    }

    private func record(_ samples: [Int16], _ bench: Workbench) throws -> (any SampleRecorder, FrameRing<SoundFrame>) {
        let ring = FrameRing<SoundFrame>(capacity: 4096, repeating: SoundFrame(time: .zero))
        let recorder = try MeasureConfiguration(identifier: "memo", format: .flac).recorder(
            of: .sound(ring), source: Example.microphone, origin: Example.origin, folder: bench.folder())
        for start in stride(from: 0, to: samples.count, by: 256) {
            let part = Array(samples[start..<min(start + 256, samples.count)])
            ring.push(Example.sound(part, at: 100 + Double(start) / 16_000))
        }
        return (recorder, ring)
    }

    @Test func everySampleComesBack() throws {
        let bench = Workbench()
        let samples = Self.tone(40_123)
        let (recorder, _) = try record(samples, bench)
        let sealed = try #require(recorder.stop(at: MonotonicTime(seconds: 110), anchors: [Example.anchor]).first)
        let sound = try FLACReader.read(File(sealed.path, .read))
        #expect(sound.samples == samples && sound.rate == 16_000 && sound.channels == 1 && !sound.isDamaged)
        #expect(recorder.counts.stored == 40_123 && recorder.counts.totalLost == 0)
        #expect(sealed.bytes < 60_000)
    }

    /// Frames of 4096 samples: one that is begun is not in the file.
    @Test func theSpanIsThatOfTheWholeFrames() throws {
        var writer = FLACWriter(source: Example.microphone)
        let start = MonotonicTime(seconds: 100)
        var out: [UInt8] = []
        try writer.begin(
            SegmentContext(
                number: 1, source: Example.microphone, measure: MeasureConfiguration(identifier: "memo", format: .flac),
                origin: Example.origin, start: start, anchor: Example.anchor), to: &out)
        func seconds(_ time: MonotonicTime?) -> Double { time.map { ($0 - start).seconds } ?? -1 }
        for index in 0..<40 {
            let time = 100 + Double(index) * 0.016
            try writer.append(
                Example.sound([Int16](repeating: Int16(index), count: 256), at: time), at: MonotonicTime(seconds: time),
                to: &out)
            #expect(writer.stored % 4096 == 0 && (writer.span == nil) == (writer.stored == 0))
            guard let span = writer.span else { continue }
            #expect(span.first == start && abs(seconds(span.last) - Double(writer.stored - 1) / 16_000) < 1e-6)
        }
        #expect(writer.stored == 8192)
        let discarded = try writer.finish(to: &out).discarded
        #expect(discarded == 0 && writer.stored == 10_240)
        #expect(abs(seconds(writer.span?.last) - 10_239.0 / 16_000) < 1e-6)
    }

    @Test(.enabled(if: access("/usr/bin/flac", X_OK) == 0, "needs the flac program"))
    func theReferenceProgramAcceptsTheFileAndItsChecksum() throws {
        let bench = Workbench()
        let (recorder, _) = try record(Self.tone(20_000), bench)
        let sealed = try #require(recorder.stop(at: MonotonicTime(seconds: 110), anchors: [Example.anchor]).first)
        #expect(system(test: "flac -t -s -w '\(sealed.path)'") == 0)
    }

    /// The header is written last, and may yet be the only thing of an end that reached the medium.
    @Test(.enabled(if: access("/usr/bin/flac", X_OK) == 0, "needs the flac program"), arguments: [0, 1000])
    func aHeaderOfSamplesThatNeverReachedTheDiskIsNotBelieved(missing: Int) throws {
        let bench = Workbench()
        let (recorder, _) = try record(Self.tone(60_000), bench)
        for seconds in [110.0, 121] {
            _ = recorder.drain(at: MonotonicTime(seconds: seconds), anchors: [Example.anchor])
        }
        var bytes = Array(try bench.bytes("000001-sound.flac.partial").dropLast(missing))
        bytes.replaceSubrange(26..<42, with: [UInt8](repeating: 0x5A, count: 16))
        try bench.write("000001-sound.flac.partial", bytes)
        let sealed = try #require(
            try bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }.sealed.first)
        #expect(system(test: "flac -t -s '\(sealed.path)'") == 0)
        #expect(try bench.bytes("000001-sound.flac")[26..<42].allSatisfy { $0 == 0 })
    }

    @Test func aCutFileIsRecoveredToItsLastWholeFrame() throws {
        let bench = Workbench()
        let samples = Self.tone(60_000)
        let (recorder, _) = try record(samples, bench)
        for seconds in [110.0, 121] {
            _ = recorder.drain(at: MonotonicTime(seconds: seconds), anchors: [Example.anchor])
        }
        let bytes = try bench.bytes("000001-sound.flac.partial")
        try bench.write("000001-sound.flac.partial", Array(bytes.dropLast(1000)))
        let recovery = try bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }
        let sealed = try #require(recovery.sealed.first)
        let sound = try FLACReader.read(File(sealed.path, .read))
        #expect(!sound.isDamaged && sound.samples == Array(samples.prefix(sound.samples.count)))
        #expect(sound.samples.count == sealed.description.samplesStored && sound.samples.count % 4096 == 0)
        #expect(sealed.description.isRecovered && sealed.description.bytesCut > 0)
    }

    /// A frame ends with a CRC of all of it (RFC 9639, 9.3). 40 bytes are in two frames at most.
    @Test func damageTakesItsOwnFramesAlone() throws {
        for isInTheMiddle in [true, false] {
            let bench = Workbench()
            let samples = Self.tone(60_000)
            let (recorder, _) = try record(samples, bench)
            for seconds in [110.0, 121] {
                _ = recorder.drain(at: MonotonicTime(seconds: seconds), anchors: [Example.anchor])
            }
            let whole = try #require(recorder.openFileStatus).stored
            var bytes = try bench.bytes("000001-sound.flac.partial")
            let place = isInTheMiddle ? bytes.count / 2 : bytes.count - 40
            for index in place..<place + 40 { bytes[index] = isInTheMiddle ? bytes[index] ^ 0xA5 : 0 }
            try bench.write("000001-sound.flac.partial", bytes)
            let sealed = try #require(
                try bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }.sealed.first)
            let found = try FLACReader.scan(File(sealed.path, .read))
            let damaged = isInTheMiddle ? found.missing : 0
            #expect(found.contradictions == [] && found.samples == (isInTheMiddle ? whole : whole - 4096))
            #expect(sealed.description.samplesStored == found.samples - damaged && found.missing == damaged)
            #expect(isInTheMiddle ? [4096, 8192].contains(damaged) : !found.isDamaged)
            // 15 % too fast for 10.5 s, and two frames.
            #expect(sealed.description.samplesLost["powerCut"] == 193_200 + 8192 + damaged)
            #expect(abs(sealed.description.endUptime - 100 - Double(found.samples) / 16_000) < 0.001)
            let sound = try FLACReader.read(File(sealed.path, .read)).samples
            #expect(sound.prefix(20_000) == samples.prefix(20_000))
            #expect(sound.suffix(20_000) == samples[found.samples - 20_000..<found.samples])
        }
    }

    /// Sound is dated by its place in the file.
    @Test(arguments: [false, true]) func aGapThatTheFileHidesOutlivesAPowerCut(isEncrypted: Bool) throws {
        let source = SourceDescription(
            kind: .sound, device: "mic", location: "hw:0", channels: Example.microphone.channels, nominalRate: 2000,
            fullScale: 0)
        let lab = try #require(AgeIdentity(secret: (0..<32).map { UInt8($0 * 7 + 1) }))
        let (bench, open) = (Workbench(), Workbench())
        let ring = FrameRing<SoundFrame>(capacity: 1024, repeating: SoundFrame(time: .zero))
        let recorder = try MeasureConfiguration(identifier: "memo", format: .flac).recorder(
            of: .sound(ring), source: source, origin: Example.origin,
            folder: RecordingFolder(
                bench.path, encryption: isEncrypted ? RecordingEncryption(to: [lab.recipient]) : nil))
        var noise = Noise(seed: 8)
        for block in 0..<450 {
            let time = 100 + Double(block) * 0.128 + (block < 100 ? 0 : 5)
            let samples = (0..<256).map { _ in Int16(truncatingIfNeeded: noise.next()) }
            var frame = Example.sound(samples, at: time)
            if block == 100 { (frame.lostBefore, frame.reason) = (10_000, LossReason.soundOverrun.rawValue) }
            ring.push(frame)
            _ = recorder.drain(at: MonotonicTime(seconds: time + 0.2), anchors: [Example.anchor])
        }
        let partial = try #require(recorder.openFile)
        #expect(try FileInspector.problems(of: "\(bench.path)/\(partial)") == [])
        let sealed = try #require(
            try bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }.sealed.first)
        #expect(try FileInspector.problems(of: sealed.path) == [])
        let path = isEncrypted ? try RecordingOpener([lab], into: open.path).open(sealed.path) : sealed.path
        #expect(try FileInspector.problems(of: path) == [])
        for description in [sealed.description, try #require(try RecordedFile(path).description)] {
            #expect(description.gaps.map(\.position) == [100 * 256] && description.gaps.map(\.samples) == [10_000])
            #expect(description.samplesLost["soundOverrun"] == 10_000)
            let length = 5 + Double(description.samplesStored) / 2000
            #expect(description.samplesStored > 200 * 256 && abs(description.endUptime - 100 - length) < 0.01)
        }
    }

    @Test func aGapEndsAFileOfAMinuteAndIsNotedInAShorterOne() throws {
        let slow = SourceDescription(
            kind: .sound, device: "mic", location: "hw:0", channels: Example.microphone.channels, nominalRate: 2000,
            fullScale: 0)
        let bench = Workbench()
        let ring = FrameRing<SoundFrame>(capacity: 1024, repeating: SoundFrame(time: .zero))
        let recorder = try MeasureConfiguration(identifier: "memo", format: .flac).recorder(
            of: .sound(ring), source: slow, origin: Example.origin, folder: bench.folder())
        var time = 100.0
        for block in 0..<600 {
            var frame = Example.sound([Int16](repeating: 7, count: 256), at: time)
            if block == 100 || block == 550 {
                (frame.lostBefore, frame.reason) = (2000, LossReason.soundOverrun.rawValue)
                frame.time = frame.time + .seconds(1)
                time += 1
            }
            ring.push(frame)
            time += 256 / 2000.0
        }
        let sealed = recorder.stop(at: MonotonicTime(seconds: time), anchors: [Example.anchor])
        #expect(sealed.map(\.description.samplesStored) == [550 * 256, 50 * 256])
        #expect(sealed.map(\.description.gaps.count) == [2, 0])
        #expect(sealed[0].description.gaps.map(\.position) == [100 * 256, 550 * 256])
        #expect(sealed[0].description.samplesLost == ["soundOverrun": 4000])
        #expect(abs(sealed[1].description.startUptime - 100 - 550 * 0.128 - 2) < 0.005)
        #expect(recorder.counts.held == 0 && recorder.counts.due == 600 * 256 + 4000)
    }

    /// STREAMINFO alone (RFC 9639, 8.2): 16 000 samples a second, one channel of 16 bits, their number not known.
    @Test func aFileWithoutFramesLastsNoTime() throws {
        let bench = Workbench()
        let info: [UInt8] =
            [0x10, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0x03, 0xE8, 0, 0xF0] + [UInt8](repeating: 0, count: 20)
        try bench.write("x.flac", Array("fLaC".utf8) + [0x80, 0, 0, 34] + info)
        let summary = try FileInspector.summary(of: bench.path + "/x.flac")
        #expect(summary.duration == 0 && summary.stored == 0 && summary.lost == 0)
    }

    @Test func longSoundsAndOtherFilesAreRefused() throws {
        let bench = Workbench()
        let (recorder, _) = try record(Self.tone(20_000), bench)
        let sealed = try #require(recorder.stop(at: MonotonicTime(seconds: 110), anchors: [Example.anchor]).first)
        #expect(throws: FileError.self) { try FLACReader.read(File(sealed.path, .read), limit: 10_000) }
        try bench.write("x.flac", Array("fLaC and nothing else".utf8))
        #expect(throws: FileError.self) { try FLACReader.read(File(bench.path + "/x.flac", .read)) }
    }

    private func system(test command: String) -> Int32 {
        guard let pipe = popen(command, "r") else { return -1 }
        return pclose(pipe)
    }
}
