// SPDX-License-Identifier: Apache-2.0
import Simulation
import Study
import Synchronization
import Testing

@testable import Agent
@testable import Base
@testable import Device

/// Which direction the recorder thread tells, and when.
@Suite struct CompassTapTests {
    private final class Told: Sendable {
        private let all = Mutex<[Double?]>([])
        func add(_ news: RecorderNews) {
            if case .direction(let degrees) = news { all.withLock { $0.append(degrees) } }
        }
        /// Since it was asked last.
        func take() -> [Double?] {
            all.withLock { all in
                defer { all = [] }
                return all
            }
        }
    }

    private static func at(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: milliseconds * 1_000_000)
    }

    /// A chip of each kind that lies flat and points east, begun 100 s after the device.
    private final class Desk {
        private let bench = RecordingBench()
        private let clock = VirtualClock(now: Instant(seconds: 1_795_255_200))
        private let rings = (0..<2).map { _ in
            FrameRing(capacity: 4096, repeating: VectorFrame(values: .zero, count: 3))
        }
        private let told = Told()
        private let loop: RecorderLoop
        private let anchor = ClockAnchor(
            monotonic: .zero, instant: Instant(seconds: 1_795_255_200), source: .simulated, uncertainty: .zero)

        init(hasField: Bool = true) throws {
            clock.advance(to: CompassTapTests.at(100_000))
            let chips = [
                SourceDescription(
                    kind: .accelerometer, device: "ADXL345", location: "i2c-1 0x53",
                    channels: Channel.acceleration(scale: 1.0 / 256), nominalRate: 12.5, fullScale: 16),
                SourceDescription(
                    kind: .magnetometer, device: "LIS3MDL", location: "i2c-1 0x1C",
                    channels: Channel.magneticField(scale: 1), nominalRate: 10, fullScale: 400),
            ]
            let sources = zip(chips, rings).prefix(hasField ? 2 : 1).map { chip, ring in
                RecorderThread.Source(
                    measure: MeasureConfiguration(identifier: chip.kind.rawValue, format: .csv), input: .vectors(ring),
                    source: chip)
            }
            loop = try RecorderLoop(
                sources: sources, microphone: nil, soundSource: nil, position: nil,
                origin: RecordingOrigin(study: "s", participant: nil, deviceID: 1, bootID: "b", zone: .utc),
                folder: bench.folder(), clock: clock, heartbeat: nil, trace: nil,
                onNews: { [told] in told.add($0) })
        }

        func ask() { loop.findDirection() }

        /// One sample of the first `chips` of them at that time, and what was told since.
        func drain(at milliseconds: Int64, chips: Int = 2) -> [Double?] {
            let time = CompassTapTests.at(milliseconds)
            clock.advance(to: time)
            // North is to the left, and the field points down.
            let values = [SIMD8<Int32>(0, 0, 256, 0, 0, 0, 0, 0), SIMD8<Int32>(-20, 0, -40, 0, 0, 0, 0, 0)]
            for (ring, values) in zip(rings, values).prefix(chips) {
                ring.push(VectorFrame(values: values, count: 3, time: time, isStamped: true))
            }
            _ = loop.drain([anchor])
            return told.take()
        }

        func stop() { _ = loop.stop([anchor]) }
    }

    /// 0.9 s are averaged.
    @Test func theDirectionIsToldOnceAfterNineTenthsOfASecondAndAgainWhenItIsAskedForAgain() throws {
        let desk = try Desk()
        #expect(desk.drain(at: 100_100).isEmpty, "it was not asked for")
        for begin in [101_000, 110_000] as [Int64] {
            #expect(desk.drain(at: begin).isEmpty)
            desk.ask()
            #expect(desk.drain(at: begin + 500).isEmpty)
            desk.ask()
            #expect(desk.drain(at: begin + 899).isEmpty)
            let told = desk.drain(at: begin + 900)
            #expect(told.count == 1 && told.allSatisfy { $0.map { abs($0 - 90) < 0.1 } == true }, "\(told)")
            #expect(desk.drain(at: begin + 1000).isEmpty && desk.drain(at: begin + 8000).isEmpty)
        }
        desk.stop()
    }

    /// Samples come in bursts, some chips' after seconds; after eight there is none.
    @Test(arguments: [0, 1]) func withoutSamplesOfBothItIsGivenUpAfterEightSeconds(chips: Int) throws {
        let desk = try Desk()
        desk.ask()
        for time in [101_000, 104_000, 107_999] as [Int64] { #expect(desk.drain(at: time, chips: chips).isEmpty) }
        #expect(desk.drain(at: 108_000, chips: chips) == [nil])
        #expect(desk.drain(at: 109_000).isEmpty)
        desk.stop()
    }

    @Test func withoutAMagnetometerItIsGivenUpAtOnce() throws {
        let desk = try Desk(hasField: false)
        desk.ask()
        #expect(desk.drain(at: 100_100) == [nil])
        #expect(desk.drain(at: 110_000).isEmpty)
        desk.stop()
    }
}
