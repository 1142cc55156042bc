// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// What happens to each sample between a chip and a file.
enum SampleBench {
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

    /// The same with levels in one-third octaves every 10 s, at the rate of a heavy load.
    static func thirdOctaves() -> Figure {
        let samples = (0..<48_000).map { Int16(truncatingIfNeeded: $0 &* 7919) }
        var meter = LevelMeter(rate: 48_000, thirdOctaves: 10)
        let rate = Stopwatch.rate {
            for _ in 0..<4 { for sample in samples { _ = meter.add(sample) } }
            return 4 * samples.count
        }
        return Figure(
            name: "levels in third octaves", value: rate, unit: "frames/s",
            ratio: (rate / 48_000, "real time at 48 kHz"))
    }

    private static func frame(_ index: Int) -> VectorFrame {
        VectorFrame(values: [Int32(truncatingIfNeeded: index % 1000), -500, 1000, 0, 0, 0, 0, 0], count: 3)
    }
}
