// SPDX-License-Identifier: Apache-2.0
import Exports
import Glibc
import Study
import SystemKit
import Testing

@testable import Agent
@testable import Base
@testable import Device
@testable import Features

/// What a device records of its acceleration is what the tools make of the recording beside it, and
/// the tools' numbers are those of agcounts and scikit-digital-health (`FeaturesTests`).
@Suite struct FeatureTapTests {
    /// 10:00:30 UTC at uptime 100.
    static let anchor = ClockAnchor(
        monotonic: MonotonicTime(seconds: 100), instant: Instant(seconds: 1_795_255_230), source: .kernel,
        uncertainty: .milliseconds(5))

    /// A chip, its recorder and the features beside it.
    private final class Desk {
        let bench = RecordingBench()
        let ring = FrameRing(capacity: 1 << 13, repeating: VectorFrame(values: .zero, count: 3))
        let rate: Double
        let recorder: any SampleRecorder
        let tap: FeatureTap
        var now = MonotonicTime(seconds: 100)
        var anchors = [FeatureTapTests.anchor]
        var news: [RecorderNews] = []
        private var motion: [SealedRecording] = []
        private var count = 0

        init(_ settings: FeatureSettings, rate: Double = 50) throws {
            self.rate = rate
            let source = SourceDescription(
                kind: .accelerometer, device: "LSM6DSO", location: "i2c-1 0x6a",
                channels: Channel.acceleration(scale: 0.000_122), nominalRate: rate, fullScale: 4)
            let measure = MeasureConfiguration(identifier: "accelerometer", format: .cwa, bodyLocation: "left wrist")
            let origin = RecordingOrigin(
                study: "s", participant: "p", deviceID: 1, bootID: "b",
                zone: Zone(fixed: 3600, identifier: "Europe/Berlin", abbreviation: "CET"))
            let folder = try bench.folder()
            recorder = try measure.recorder(of: .vectors(ring), source: source, origin: origin, folder: folder)
            tap = try #require(
                try FeatureTap(
                    settings, [.init(measure: measure, input: .vectors(ring), source: source)], [recorder],
                    origin: origin, folder: folder))
        }

        /// `seconds` of samples, 5 ms off the tenths; `size` is in counts.
        func measure(_ seconds: Int, size: Int32, lost: Int = 0) {
            for second in 0..<seconds {
                for index in 0..<Int(rate) {
                    let swing = Int32(abs(count * 4 % 100 - 50) - 25) * size / 25
                    var frame = VectorFrame(
                        values: SIMD8(swing, swing / 2, 8000 - swing / 3, 0, 0, 0, 0, 0), count: 3,
                        time: now + .milliseconds(5) + .seconds(Double(index) / rate), isStamped: true)
                    if second == 0, index == 0, lost > 0 {
                        (frame.lostBefore, frame.reason) = (UInt32(lost), LossReason.chipOverrun.rawValue)
                    }
                    ring.push(frame)
                    count += 1
                }
                now = now + .seconds(1)
                drain()
            }
        }

        func drain() {
            motion += recorder.drain(at: now, anchors: anchors)
            news += tap.drain(at: now, anchors: anchors)
        }

        func stop() -> (motion: [SealedRecording], features: [SealedRecording]) {
            motion += recorder.stop(at: now, anchors: anchors)
            news += tap.stop(at: now, anchors: anchors)
            let features = news.flatMap { news -> [SealedRecording] in
                if case .sealed(let files) = news { files } else { [] }
            }
            return (motion, features)
        }

        /// Since when not worn, as it was reported, in seconds of uptime; nil = worn.
        var reports: [Double?] {
            news.compactMap { news -> Double?? in
                guard case .notWorn(let since) = news else { return nil }
                return .some(since.map { Double($0.nanoseconds) / 1e9 })
            }
        }
    }

    /// `10:01:00` and the values of each row.
    private static func rows(_ text: [UInt8], skipping: Int) -> [String: [Double?]] {
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n").filter { $0.first == "2" }
        return Dictionary(
            lines.map { line in
                let fields = line.split(separator: ",", omittingEmptySubsequences: false)
                return (String(fields[0].dropFirst(11).prefix(8)), fields.dropFirst(skipping).map { Double($0) })
            }
        ) { one, _ in one }
    }

    private static func text(of file: SealedRecording) throws -> [UInt8] {
        let lines = try RecordedFile(file.path).lines()
        var text: [UInt8] = []
        while let line = try lines.next() { text += Array(line) + [0x0A] }
        return text
    }

    /// By the minutes of UTC, of which the first began half a minute before the samples.
    @Test(arguments: [false, true]) func epochsAreToldWhereTheyArePublished(isPublished: Bool) throws {
        var settings = FeatureSettings(names: ["enmo"])
        settings.isPublished = isPublished
        let desk = try Desk(settings)
        desk.measure(150, size: 2000)
        let told = desk.news.flatMap { news -> [FeatureEpoch] in
            if case .computed(let epochs) = news { epochs } else { [] }
        }
        let starts = [1_795_255_200, 1_795_255_260].map { Instant(seconds: $0) }
        #expect(told.map(\.start) == (isPublished ? starts : []))
        #expect(told.allSatisfy { $0.source == "accelerometer" && $0.columns.contains("enmo") })
        #expect(told.last.map { $0.coverage > 0.99 } ?? !isPublished)
    }

    @Test func rowsAreThoseThatTheToolsMakeOfTheRecordingBesideIt() throws {
        let desk = try Desk(FeatureSettings(names: ["enmo", "mad", "anglez", "agcounts"]))
        desk.measure(150, size: 3000)
        desk.now = desk.now + .seconds(130)
        desk.measure(95, size: 9000, lost: 6500)
        let (motion, features) = desk.stop()
        let file = try #require(features.first)
        #expect(features.count == 1 && file.description.kind == "features" && file.description.isExtra)
        #expect(file.description.countedUnit == .epochs && file.description.bodyLocation == "left wrist")
        #expect(try FileInspector.problems(of: file.path) == [])
        let device = Self.rows(try Self.text(of: file), skipping: 2)
        var written: [UInt8] = []
        _ = try FeatureExport.run(
            motion.map(\.path), epoch: .minute, names: ["enmo", "mad", "anglez", "agcounts"],
            to: { ExportOutput(name: "table") { bytes throws(FileError) in written += bytes } }, progress: { _ in })
        let tools = Self.rows(written, skipping: 2)
        // 10:00:30 to 10:03:00, and 10:05:10 to 10:06:45.
        #expect(device.keys.sorted() == ["10:00:00", "10:01:00", "10:02:00", "10:05:00", "10:06:00"])
        #expect(tools.keys.sorted() == device.keys.sorted())
        for (time, values) in device {
            let others = try #require(tools[time])
            #expect(values.count == 8 && others.count == 8)
            // What is in a last block, which is not whole, no file has: 60 and 30 samples.
            let isWhole = time == "10:01:00"
            for (index, (one, other)) in zip(values, others).enumerated() {
                let (one, other) = (try #require(one), try #require(other))
                let tolerance = isWhole && index != 7 ? max(1e-4, abs(other) * 0.002) : max(0.05, abs(other) * 0.06)
                #expect(abs(one - other) <= tolerance, "\(time) column \(index): \(one) and \(other)")
            }
        }
        #expect(device["10:01:00"]?[7] == 1 && abs((device["10:00:00"]?[7] ?? 0) - 0.5) < 0.002)
    }

    // MARK: Sound and positions

    /// A microphone of 8 kHz and a receiver, their recorders and the features beside them.
    private final class Room {
        let bench = RecordingBench()
        private let blocks = FrameRing(capacity: 512, repeating: SoundFrame(time: .zero))
        private let line = FrameRing(capacity: 512, repeating: ByteFrame(time: .zero))
        private let bytes = FrameRing(capacity: 512, repeating: ByteFrame(time: .zero))
        private let recorders: [any SampleRecorder]
        private let watch: PositionWatch
        let tap: FeatureTap?
        private(set) var now = MonotonicTime(seconds: 100)
        private let anchors = [FeatureTapTests.anchor]
        private var (measured, features) = ([SealedRecording](), [SealedRecording]())

        init(_ names: Set<String>, calibration: Double? = 120) throws {
            let origin = RecordingOrigin(
                study: "s", participant: "p", deviceID: 1, bootID: "b",
                zone: Zone(fixed: 3600, identifier: "Europe/Berlin", abbreviation: "CET"))
            let folder = try bench.folder()
            func source(_ kind: MeasureKind, _ channel: Channel, _ rate: Double) -> SourceDescription {
                SourceDescription(
                    kind: kind, device: "\(kind)", location: "x", channels: [channel], nominalRate: rate, fullScale: 1)
            }
            let sources: [RecorderThread.Source] = [
                .init(
                    measure: MeasureConfiguration(identifier: "sound", format: .levels, calibration: calibration),
                    input: .sound(blocks),
                    source: source(.sound, Channel(name: "sound", unit: .pcm, scale: 1.0 / 32_768), 8000)),
                .init(
                    measure: MeasureConfiguration(identifier: "position", format: .nmea), input: .bytes(bytes),
                    source: source(.position, Channel(name: "nmea", unit: .text, scale: 1), 1)),
            ]
            recorders = try sources.map {
                try $0.measure.recorder(of: $0.input, source: $0.source, origin: origin, folder: folder)
            }
            watch = PositionWatch(source: line, measure: bytes, listener: nil, shared: ReceiverState(line: nil))
            tap = try FeatureTap(
                FeatureSettings(names: names), sources, recorders, watch, origin: origin, folder: folder)
        }

        /// Seconds of noise at that strength, at a place so many metres north of where it began.
        func live(_ seconds: Int, strength: Int, metres: Double) {
            let place = (52.5 + metres / 111_195, 13.4)
            for _ in 0..<seconds {
                for block in 0..<32 { hear(strength, at: now + .microseconds(31_250 * block)) }
                let time = FeatureTapTests.anchor.instant(at: now)
                for frame in SimulatedFix(place, at: time, since: place).frames(at: now + .milliseconds(200)) {
                    _ = line.push(frame)
                }
                now = now + .seconds(1)
                drain()
            }
        }

        private func hear(_ strength: Int, at time: MonotonicTime) {
            var frame = SoundFrame(time: time)
            frame.count = 250
            for index in 0..<250 {
                let noise = (index &* 7919 &+ Int(time.nanoseconds / 31_250_000) &* 104_729) % 2001 - 1000
                frame.samples[index] = Int16(noise * strength / 1000)
            }
            _ = blocks.push(frame)
        }

        private func drain() {
            watch.pump(at: now)
            measured += recorders.flatMap { $0.drain(at: now, anchors: anchors) }
            add(tap?.drain(at: now, anchors: anchors) ?? [])
        }

        private func add(_ news: [RecorderNews]) {
            for case .sealed(let files) in news { features += files }
        }

        func withhold(_ span: Range<MonotonicTime>) {
            for recorder in recorders { recorder.withhold(span) }
            tap?.withhold(span)
        }

        func stop() -> (measured: [SealedRecording], features: [SealedRecording]) {
            drain()
            measured += recorders.flatMap { $0.stop(at: now, anchors: anchors) }
            add(tap?.stop(at: now, anchors: anchors) ?? [])
            return (measured, features)
        }
    }

    private static func tools(_ files: [SealedRecording], _ kind: MeasureKind, _ name: String) throws -> [String:
        [Double?]]
    {
        var written: [UInt8] = []
        _ = try FeatureExport.run(
            files.filter { $0.kind == kind }.map(\.path), epoch: .minute, names: [name],
            to: { ExportOutput(name: "table") { bytes throws(FileError) in written += bytes } }, progress: { _ in })
        return rows(written, skipping: 2)
    }

    /// The tools' limits of sound are those of ISO 9921 and their stays are trackintel's (`FeaturesTests`).
    @Test func soundAndVisitsAreThoseThatTheToolsMakeOfTheRecordingsBesideThem() throws {
        let room = try Room(["sound", "visits", "enmo"])
        room.live(100, strength: 8, metres: 0)
        room.live(60, strength: 8000, metres: 30)
        room.live(200, strength: 80, metres: 60)
        room.live(80, strength: 8, metres: 400)
        let (measured, features) = room.stop()
        #expect(features.map(\.description.identifier).sorted() == ["position_features", "sound_features"])
        for file in features {
            #expect(file.description.kind == "features" && file.description.countedUnit == .epochs)
            #expect(try FileInspector.problems(of: file.path) == [])
            let isSound = file.description.identifier == "sound_features"
            let device = Self.rows(try Self.text(of: file), skipping: 2)
            let tools = try Self.tools(measured, isSound ? .sound : .position, isSound ? "sound" : "visits")
            #expect(device.count == 8 && device.keys.sorted() == tools.keys.sorted())
            for (time, values) in device {
                let others = try #require(tools[time])
                #expect(values.count == 3 && others.count == 3)
                #expect(values[1] == others[1], "\(time)")
                // Levels have two digits in their file; a position is a fifth of a second old when it is read.
                let (one, other) = (try #require(values[0]), try #require(others[0]))
                #expect(abs(one - other) <= (isSound ? 0.011 : 1), "\(time): \(one) and \(other)")
                #expect(abs((values[2] ?? 0) - (others[2] ?? 0)) <= 0.02, "\(time)")
            }
            let states = Set(device.values.map { $0[1] })
            #expect(states == (isSound ? [0, 1, 2] : [0, 1]), "\(states)")
        }
    }

    @Test func aMicrophoneWithoutACalibrationHasNoState() throws {
        #expect(try Room(["sound"], calibration: nil).tap == nil && Room(["sound"]).tap != nil)
        #expect(try Room(["visits"], calibration: nil).tap != nil && Room(["enmo"]).tap == nil)
    }

    @Test func whatIsHeardAndWhereInAPauseIsInNoRow() throws {
        let room = try Room(["sound", "visits"])
        room.withhold(MonotonicTime(seconds: 130)..<MonotonicTime(seconds: 250))
        room.live(200, strength: 300, metres: 0)
        for file in room.stop().features {
            let rows = Self.rows(try Self.text(of: file), skipping: 2)
            #expect(rows.keys.sorted() == ["10:00:00", "10:03:00"], "\(file.description.identifier)")
            #expect(String(decoding: try Self.text(of: file), as: UTF8.self).contains("samples=2 reason=privacy"))
        }
    }

    @Test func whatIsWithheldIsInNoRow() throws {
        let desk = try Desk(FeatureSettings(names: ["enmo"]))
        desk.tap.withhold(MonotonicTime(seconds: 130)..<MonotonicTime(seconds: 310))
        desk.measure(300, size: 3000)
        let file = try #require(desk.stop().features.first)
        let rows = Self.rows(try Self.text(of: file), skipping: 2)
        #expect(rows.keys.sorted() == ["10:00:00", "10:04:00", "10:05:00"])
        #expect(String(decoding: try Self.text(of: file), as: UTF8.self).contains("samples=3 reason=privacy"))
        #expect(try FileInspector.problems(of: file.path) == [])
    }

    /// A file is sealed when it is old enough, while the next one grows, and no minute is lost between them.
    @Test func aFileThatIsOldEnoughIsSealedMeanwhile() throws {
        let desk = try Desk(FeatureSettings(names: ["enmo"], rotation: .seconds(300)), rate: 25)
        desk.measure(900, size: 3000)
        let early = desk.news.count { if case .sealed = $0 { true } else { false } }
        let files = desk.stop().features
        #expect(early > 0 && files.count > early, "\(early) of \(files.count)")
        let rows = try files.flatMap { Self.rows(try Self.text(of: $0), skipping: 2).keys }
        #expect(rows.sorted() == (0...15).map { "10:\($0 < 10 ? "0" : "")\($0):00" })
    }

    @Test func whileTheTimeIsUnknownEpochsAreThoseOfTheUptime() throws {
        let desk = try Desk(FeatureSettings(names: ["enmo"]))
        desk.anchors = []
        desk.measure(90, size: 3000)
        desk.anchors = [Self.anchor]
        desk.measure(90, size: 3000)
        let files = desk.stop().features
        let texts = try files.map { String(decoding: try Self.text(of: $0), as: UTF8.self) }.joined()
        // Uptime 60 is 09:59:50; from 10:02:00 on the clock is known.
        #expect(texts.contains("T09:59:50.000000Z,60.000000,"), "\(texts)")
        #expect(texts.contains("T10:02:00.000000Z,190.000000,"), "\(texts)")
        for file in files { #expect(try FileInspector.problems(of: file.path) == []) }
    }

    private static func anchor(ahead: Duration) -> ClockAnchor {
        ClockAnchor(
            monotonic: anchor.monotonic, instant: anchor.instant + ahead, source: .kernel,
            uncertainty: .milliseconds(5))
    }

    /// Ten seconds ahead at uptime 190. The epoch that began at 130 is over then, and is the first row of the
    /// file by the new time.
    @Test func whatIsRecordedAfterTheClockWasSetHasTheTimeOfTheNewClock() throws {
        let desk = try Desk(FeatureSettings(names: ["enmo"]))
        desk.measure(90, size: 3000)
        desk.anchors = [Self.anchor(ahead: .seconds(10))]
        desk.measure(90, size: 3000)
        let files = desk.stop().features
        let texts = try files.map { String(decoding: try Self.text(of: $0), as: UTF8.self) }.joined()
        #expect(files.count == 2 && texts.contains("T10:01:10.000000Z,130.000000,"), "\(texts)")
        #expect(texts.contains("T10:02:00.000000Z,180.000000,"), "\(texts)")
        for file in files { #expect(try FileInspector.problems(of: file.path) == []) }
    }

    /// The hour by which it was set ahead was never measured: no epoch of it is missing.
    @Test func aClockThatIsSetAheadLeavesNoEpochOut() throws {
        let desk = try Desk(FeatureSettings(names: ["enmo"]), rate: 25)
        desk.measure(90, size: 3000)
        desk.anchors = [Self.anchor(ahead: .seconds(3600))]
        desk.measure(150, size: 3000)
        let files = desk.stop().features
        let times = try files.flatMap { Self.rows(try Self.text(of: $0), skipping: 2).keys }.sorted()
        #expect(times.suffix(3) == ["11:02:00", "11:03:00", "11:04:00"], "\(times)")
        #expect(files.allSatisfy { $0.description.samplesLost.isEmpty })
    }

    /// Put down at 10:15:00, uptime 970, and picked up.
    @Test func anHourOnATableIsReportedOnceAndItsEndAtOnce() throws {
        let desk = try Desk(FeatureSettings(names: ["wear"]), rate: 25)
        desk.measure(870, size: 3000)
        desk.measure(3599, size: 0)
        #expect(desk.reports.isEmpty)
        desk.measure(900, size: 0)
        #expect(desk.reports == [970])
        desk.measure(2, size: 3000)
        #expect(desk.reports == [970, nil])
        _ = desk.stop()
    }
}
