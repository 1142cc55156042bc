// SPDX-License-Identifier: Apache-2.0
import Simulation
import Study
import SystemKit
import Testing

@testable import Agent
@testable import Base
@testable import Device

@Suite struct SignalTraceTests {
    /// One measure, recorded and traced.
    private final class Desk {
        let bench = RecordingBench()
        let trace = SignalTrace()
        private let recorder: any SampleRecorder
        private let tap: SignalTap

        init(_ source: SourceDescription, _ format: RecordingFormat, _ input: RecorderInput) throws {
            let measured = RecorderThread.Source(
                measure: MeasureConfiguration(identifier: "m", format: format), input: input, source: source)
            recorder = try measured.measure.recorder(
                of: input, source: source,
                origin: RecordingOrigin(study: "s", participant: nil, deviceID: 1, bootID: "b", zone: .utc),
                folder: bench.folder())
            tap = SignalTap(trace, [measured], [recorder])
        }

        func drain(at second: Double) {
            _ = recorder.drain(at: MonotonicTime(seconds: second), anchors: [])
            tap.drain()
        }

        func stop(at second: Double) {
            let anchor = ClockAnchor(
                monotonic: .zero, instant: Instant(seconds: 1_795_255_200), source: .simulated, uncertainty: .zero)
            _ = recorder.stop(at: MonotonicTime(seconds: second), anchors: [anchor])
        }
    }

    /// Decibels are 20 log10 of what part of the largest sample it is; 16 bits reach down to -96. Less than a second
    /// has no level.
    @Test func aSecondOfSoundHasALevel() throws {
        let ring = FrameRing(capacity: 256, repeating: SoundFrame(time: .zero))
        let source = SourceDescription(
            kind: .sound, device: "microphone", location: "mic",
            channels: [Channel(name: "sound", unit: .pcm, scale: 1.0 / 32_768)], nominalRate: 16_000, fullScale: 1)
        let desk = try Desk(source, .flac, .sound(ring))
        let seconds: [(samples: [Int16], level: Double)] = [
            ([0], -96), ([1] + [Int16](repeating: 0, count: 15_999), -96), ([1, -1], -90.309),
            ([16_384, -16_384], -6.021),
            ([-32_768], 0),
        ]
        for (second, part) in seconds.enumerated() {
            for block in 0..<64 {
                var frame = SoundFrame(time: MonotonicTime(seconds: Double(second) + Double(block) / 64))
                frame.count = 250
                for index in 0..<250 { frame.samples[index] = part.samples[(block * 250 + index) % part.samples.count] }
                ring.push(frame)
                if block == 62 {
                    desk.drain(at: Double(second) + 0.99)
                    #expect(desk.trace.seconds(of: .sound)?.values.count ?? 0 == second)
                }
            }
            desk.drain(at: Double(second + 1))
        }
        desk.stop(at: Double(seconds.count))
        let traced = try #require(desk.trace.seconds(of: .sound))
        #expect(traced.unit == .decibelFullScale && traced.values.count == seconds.count)
        for (found, part) in zip(traced.values, seconds) { #expect(abs(found - part.level) < 0.001, "\(found)") }
    }

    /// Of a vector the mean length; a second of 12.5 Hz has 13 samples, and two minutes are kept.
    @Test func theLengthOfAVectorIsTracedForTwoMinutes() throws {
        let ring = FrameRing(capacity: 64, repeating: VectorFrame(values: .zero, count: 3))
        let source = SourceDescription(
            kind: .accelerometer, device: "ADXL345", location: "i2c-1 0x53",
            channels: Channel.acceleration(scale: 1.0 / 256), nominalRate: 12.5, fullScale: 16)
        let desk = try Desk(source, .cwa, .vectors(ring))
        #expect(desk.trace.seconds(of: .accelerometer) == nil)
        for second in 0..<123 {
            for sample in 0..<13 {
                let time = MonotonicTime(seconds: 0.08 * Double(13 * second + sample))
                // 3, 4 and 12 are the edges of a box whose diagonal is 13.
                let edge = Int32(second + 1)
                ring.push(
                    VectorFrame(
                        values: SIMD8(3 * edge, -4 * edge, 12 * edge, 0, 0, 0, 0, 0), count: 3, time: time,
                        isStamped: true))
            }
            desk.drain(at: 1.04 * Double(second + 1))
        }
        desk.stop(at: 130)
        let traced = try #require(desk.trace.seconds(of: .accelerometer))
        #expect(traced.unit == .standardGravity && traced.values.count == 120)
        for (found, second) in zip(traced.values, 4...123) {
            #expect(abs(found - 13 * Double(second) / 256) < 1e-9, "\(second)")
        }
    }

    /// Less than a sample a second gives no seconds to show.
    @Test(arguments: [(1.0, 3), (0.5, nil)] as [(Double, Int?)])
    func aSourceThatIsTooSlowIsNotTraced(rate: Double, seconds: Int?) throws {
        let ring = FrameRing(capacity: 64, repeating: VectorFrame(values: .zero, count: 3))
        let source = SourceDescription(
            kind: .magnetometer, device: "LIS3MDL", location: "i2c-1 0x1c", channels: Channel.magneticField(scale: 0.1),
            nominalRate: rate, fullScale: 400)
        let desk = try Desk(source, .csv, .vectors(ring))
        for sample in 0..<3 {
            ring.push(
                VectorFrame(
                    values: SIMD8(1, 2, 3, 0, 0, 0, 0, 0), count: 3,
                    time: MonotonicTime(seconds: Double(sample) / rate), isStamped: true))
        }
        desk.drain(at: 10)
        desk.stop(at: 11)
        #expect(desk.trace.seconds(of: .magnetometer)?.values.count == seconds)
    }
}
