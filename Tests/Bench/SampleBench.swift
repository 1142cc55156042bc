// SPDX-License-Identifier: Apache-2.0
import Recording
import Samples
import Times

/// What happens to each sample between a chip and a file.
enum SampleBench {
    private static let source = SourceDescription(
        kind: .accelerometer, device: "LIS3DH", location: "i2c-1 0x18",
        channels: ["x", "y", "z"].map { Channel(name: "accel_\($0)", unit: .standardGravity, scale: 0.001) },
        nominalRate: 100, fullScale: 8)
    private static let origin = RecordingOrigin(
        study: "bench", participant: "p", deviceID: 1, bootID: "boot",
        zone: Zone(fixed: 3600, identifier: "Europe/Berlin", abbreviation: "CET"))
    private static let batch = 120_000

    /// A frame into the ring and out again, from one thread.
    static func ring() -> Figure {
        let ring = FrameRing(capacity: 4096, repeating: frame(0))
        let rate = Stopwatch.rate {
            var sum: Int32 = 0
            for index in 0..<1_000_000 {
                ring.push(frame(index))
                sum &+= ring.pop()?.values[0] ?? 0
            }
            return sum == 1 ? 0 : 1_000_000
        }
        return Figure(
            name: "ring push and pop", value: rate, unit: "frames/s", ratio: (rate / 100, "a chip at 100 Hz"),
            least: 20_000_000)
    }

    /// What a million frames through a ring allocate.
    static func ringAllocations() -> [Figure] {
        guard countsAllocations else { return [] }
        let ring = FrameRing(capacity: 4096, repeating: frame(0))
        let before = Cost.now
        var sum: Int32 = 0
        for index in 0..<1_000_000 {
            ring.push(frame(index))
            sum &+= ring.pop()?.values[0] ?? 0
        }
        let spent = Cost.now - before
        let value = Double(spent.allocations) + (sum == 1 ? 0.1 : 0)
        return [Figure(name: "ring, allocations per million frames", value: value, unit: "count", limit: 0)]
    }

    /// The microphone's samples to one line of levels per second.
    static func levels() -> Figure {
        let samples = (0..<16_000).map { Int16(truncatingIfNeeded: $0 &* 7919) }
        var meter = LevelMeter(rate: 16_000)
        let rate = Stopwatch.rate {
            for _ in 0..<20 { for sample in samples { _ = meter.add(sample) } }
            return 20 * samples.count
        }
        return Figure(name: "level meter", value: rate, unit: "frames/s", ratio: (rate / 16_000, "real time at 16 kHz"))
    }

    /// Frames to the bytes of a CWA file, without the disk.
    static func cwaEncoding() throws -> Figure {
        let rate = try Stopwatch.rate { try encoded().isEmpty ? 0 : batch }
        return Figure(name: "CWA encode", value: rate, unit: "samples/s", ratio: (rate / 100, "a chip at 100 Hz"))
    }

    /// A CWA file back to samples in g, from the page cache.
    static func cwaDecoding(in folder: String) throws -> Figure {
        let path = folder + "/bench.cwa"
        try DiskFile(path, .replace).write(try encoded(), at: 0)
        let rate = try Stopwatch.rate {
            let reader = try CWAReader(DiskFile(path, .read))
            var count = 0
            var sum = 0.0
            while let block = try reader.nextBlock() {
                for sample in 0..<block.count { sum += block.acceleration(sample).x }
                count += block.count
            }
            return sum.isNaN ? 0 : count
        }
        return Figure(name: "CWA decode", value: rate, unit: "samples/s")
    }

    private static func encoded() throws -> [UInt8] {
        var writer = try CWAWriter(source: source)
        var bytes: [UInt8] = []
        let start = MonotonicTime(nanoseconds: 100_000_000_000)
        let anchor = ClockAnchor(
            monotonic: start, instant: Instant(seconds: 1_795_251_600), source: .kernel, uncertainty: .milliseconds(5))
        try writer.begin(
            SegmentContext(
                number: 1, source: source, measure: MeasureConfiguration(identifier: "motion", format: .cwa),
                origin: origin,
                start: start, anchor: anchor), to: &bytes)
        for index in 0..<batch { try writer.append(frame(index), at: start + .milliseconds(10 * index), to: &bytes) }
        _ = try writer.finish(to: &bytes)
        return bytes
    }

    private static func frame(_ index: Int) -> VectorFrame {
        VectorFrame(values: [Int32(truncatingIfNeeded: index % 1000), -500, 1000, 0, 0, 0, 0, 0], count: 3)
    }
}
