// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Device
import Exports
import Glibc
import SystemKit

/// Recordings on their way to the disk and back.
enum RecordingBench {
    private static let source = SourceDescription(
        kind: .accelerometer, device: "LIS3DH", location: "i2c-1 0x18", channels: Channel.acceleration(scale: 0.001),
        nominalRate: 100, fullScale: 8)
    private static let microphone = SourceDescription(
        kind: .sound, device: "microphone", location: "hw:0", channels: [Channel(name: "level", unit: .pcm, scale: 1)],
        nominalRate: 16_000, fullScale: 0)
    private static let origin = RecordingOrigin(
        study: "bench", participant: "p", deviceID: 1, bootID: "boot",
        zone: Zone(fixed: 3600, identifier: "Europe/Berlin", abbreviation: "CET"))
    private static let start = MonotonicTime(nanoseconds: 100_000_000_000)
    private static let anchor = ClockAnchor(
        monotonic: start, instant: Instant(seconds: 1_795_251_600), source: .kernel, uncertainty: .milliseconds(5))
    private static let batch = 120_000
    /// Whole blocks.
    private static let hour = 360_000
    private static let day = 24 * hour

    /// All figures. `bench.py` compares those of `day.cwa`, which is left in the folder,
    /// with other readers.
    static func all(in folder: String) throws -> [Figure] {
        let path = folder + "/day.cwa"
        try File(path, .replace).write(try encoded(day), at: 0)
        let hourPath = folder + "/hour.cwa"
        try File(hourPath, .replace).write(try encoded(hour), at: 0)
        var figures = try [encoding(), decoding(hourPath)] + exporting(path, to: folder + "/day.csv")
        figures += try [motionOnDisk(folder), soundOnDisk(folder)]
        return try figures + sizes(folder)
    }

    /// Frames to the bytes of a CWA file, without the disk.
    private static func encoding() throws -> Figure {
        let rate = try Stopwatch.rate { try encoded(batch).isEmpty ? 0 : batch }
        return Figure(name: "CWA encode", value: rate, unit: "samples/s", ratio: (rate / 100, "a chip at 100 Hz"))
    }

    /// A CWA file back to times and samples in g, from the page cache, every block with its
    /// checksum; all of them are summed and compared with what was written.
    private static func decoding(_ path: String) throws -> Figure {
        let expected = (0..<hour).reduce(0) { $0 + Double(x($1)) / 1000 }
        let rate = try Stopwatch.rate {
            let timeline = try CWATimeline(RecordedFile(path))
            var (count, last) = (0, Instant.epoch)
            var sum = (0.0, 0.0, 0.0)
            while let timed = try timeline.next() {
                for index in 0..<timed.block.count {
                    let value = timed.block.acceleration(index)
                    sum = (sum.0 + value.x, sum.1 + value.y, sum.2 + value.z)
                    last = timed.time(index)
                }
                count += timed.block.count
            }
            let half = Double(count) / 8192
            guard timeline.reader.damagedBlocks == 0, count == hour, abs(sum.0 - expected) < half,
                abs(sum.1 + 0.5 * Double(count)) < half, abs(sum.2 - Double(count)) < half,
                abs((last - anchor.instant).seconds - 3600 - Double(count - 1) / 100) < 0.001
            else { throw BenchFault.nothingDecoded(path) }
            return count
        }
        return Figure(name: "CWA decode with times", value: rate, unit: "samples/s")
    }

    /// A day as CSV into a file, and the most memory that the process has had.
    private static func exporting(_ path: String, to target: String) throws -> [Figure] {
        let perSecond = try Stopwatch.rate {
            let output = try ExportOutput(path: target)
            try CWACSVExporter.export(MotionSource([RecordedFile(path)]), to: output) { _ in }
            try output.finish()
            return 1
        }
        unlink(target)
        return [Figure(name: "CSV export of a day at 100 Hz", value: 1 / perSecond, unit: "s")]
    }

    /// An hour of movement through a ring and a recorder into a sealed file: what the kernel was
    /// given to write against what is there.
    private static func motionOnDisk(_ folder: String) throws -> Figure {
        let ring = FrameRing(capacity: 4096, repeating: VectorFrame(values: .zero, count: 3))
        return try written("CWA, bytes given to write per byte recorded", .cwa, .vectors(ring), source, folder) {
            for index in 0..<100 {
                ring.push(frame($0 * 100 + index, time: start + .milliseconds(10 * ($0 * 100 + index))))
            }
        }
    }

    private static func soundOnDisk(_ folder: String) throws -> Figure {
        let ring = FrameRing(capacity: 256, repeating: SoundFrame(time: start))
        var noise: UInt32 = 1
        return try written("FLAC, bytes given to write per byte recorded", .flac, .sound(ring), microphone, folder) {
            for piece in 0..<64 {
                var frame = SoundFrame(time: start + .microseconds(1_000_000 * $0 + 15_625 * piece))
                frame.count = 250
                for index in 0..<250 {
                    noise = noise &* 1_664_525 &+ 1_013_904_223
                    frame.samples[index] = Int16(truncatingIfNeeded: Int32(bitPattern: noise) >> 20)
                }
                ring.push(frame)
            }
        }
    }

    private static func written(
        _ name: String, _ format: RecordingFormat, _ input: RecorderInput, _ source: SourceDescription,
        _ folder: String, second: (Int) -> Void
    ) throws -> Figure {
        let target = try RecordingFolder("\(folder)/\(format.rawValue)")
        let recorder = try MeasureConfiguration(identifier: "bench", format: format).recorder(
            of: input, source: source, origin: origin, folder: target)
        let before = bytesWritten()
        var sealed: [SealedRecording] = []
        for index in 0..<600 {
            second(index)
            sealed += recorder.drain(at: start + .seconds(index + 1), anchors: [anchor])
        }
        sealed += recorder.stop(at: start + .seconds(601), anchors: [anchor])
        let given = bytesWritten() - before
        return Figure(
            name: name, value: Double(given) / Double(max(1, sealed.reduce(0) { $0 + $1.bytes })), unit: "bytes/byte",
            limit: 1.1)
    }

    /// What a sample takes on the disk and over the wire: a person's walk, recorded by others, as a
    /// chip of 1 mg would have given it.
    private static func sizes(_ folder: String) throws -> [Figure] {
        let walk = "../shared/fixtures/accel/example-610-steps.cwa"
        guard access(walk, R_OK) == 0 else {
            let note = Array("bench: SKIPPED the size of a sample: \(walk) is not there\n".utf8)
            _ = write(2, note, note.count)
            return []
        }
        let reader = try CWAReader(File(walk, .read))
        var frames: [VectorFrame] = []
        while let block = try reader.nextBlock() {
            for index in 0..<block.count {
                let value = block.acceleration(index)
                let counts = SIMD8<Double>(value.x, value.y, value.z, 0, 0, 0, 0, 0) * 1000
                frames.append(VectorFrame(values: SIMD8<Int32>(counts.rounded(.toNearestOrEven)), count: 3))
            }
        }
        let path = folder + "/walk.cwa"
        let bytes = try encoded(frames.count) { frames[$0] }
        try File(path, .replace).write(bytes, at: 0)
        let sent = try ZstandardFile.compress(path, to: path + ".zst")
        let count = Double(frames.count / 80 * 80)
        return [
            Figure(
                name: "accelerometer of 1 mg, on the disk", value: Double(bytes.count) / count, unit: "bytes/sample",
                limit: 6.5),
            Figure(
                name: "accelerometer of 1 mg, as zstd 1 for upload", value: Double(sent) / count, unit: "bytes/sample",
                limit: 4.7),
        ]
    }

    /// What this process gave to write(2) and its kin since it began.
    private static func bytesWritten() -> Int {
        guard let file = try? File("/proc/self/io", .read), let bytes = try? file.read(4096, at: 0) else {
            return 0
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix("wchar:") }.flatMap { Int($0.dropFirst(7)) } ?? 0
    }

    private static func encoded(
        _ count: Int, _ frame: (Int) -> VectorFrame = { RecordingBench.frame($0) }
    ) throws -> [UInt8] {
        var writer = try CWAWriter(source: source)
        var bytes: [UInt8] = []
        try writer.begin(
            SegmentContext(
                number: 1, source: source, measure: MeasureConfiguration(identifier: "motion", format: .cwa),
                origin: origin, start: start, anchor: anchor), to: &bytes)
        for index in 0..<count {
            try writer.append(
                frame(index), at: MonotonicTime(nanoseconds: start.nanoseconds + 10_000_000 * Int64(index)), to: &bytes)
        }
        _ = try writer.finish(to: &bytes)
        return bytes
    }

    private static func x(_ index: Int) -> Int32 { Int32(truncatingIfNeeded: index % 1000) }

    private static func frame(_ index: Int, time: MonotonicTime? = nil) -> VectorFrame {
        VectorFrame(
            values: [x(index), -500, 1000, 0, 0, 0, 0, 0], count: 3, time: time ?? .zero, isStamped: time != nil)
    }
}
