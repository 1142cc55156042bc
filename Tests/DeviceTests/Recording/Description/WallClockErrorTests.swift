// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device

@Suite struct WallClockErrorTests {
    private static let utc = Instant(seconds: 1_795_251_600)

    private static func anchor(
        _ seconds: Double, off: Double = 0, _ uncertainty: Double, _ source: ClockAnchor.Source = .kernel
    ) -> ClockAnchor {
        ClockAnchor(
            monotonic: MonotonicTime(seconds: seconds), instant: utc + .nanoseconds(Int64((seconds + off) * 1e9)),
            source: source,
            uncertainty: .nanoseconds(Int64(uncertainty * 1e9)))
    }

    /// Anchors (time, how far off the file's line, uncertainty, source), a file from 1000 to
    /// 2000 s, and the bar.
    static let cases: [(name: String, anchors: [ClockAnchor], bar: ClosedRange<Double>)] = [
        ("one anchor at the start drifts on by its crystal", [anchor(1000, 0.2)], 0.299...0.301),
        ("a good anchor every five minutes", (3...7).map { anchor(300 * Double($0), 0.01) }, 0.024...0.026),
        ("what a later anchor shows counts", [anchor(1000, 0.2), anchor(1300, off: 0.35, 0.2)], 0.55...0.63),
        ("a bad one before a good one", [anchor(1000, 60, .rtc), anchor(1010, 0.01, .gps)], 0.1...0.12),
        ("slewed in between: the larger of both", [anchor(990, 0.4), anchor(2010, 0.1)], 0.4...0.46),
        ("known only after its end", [anchor(3000, 0.02)], 0.219...0.221),
        // Slewing moves both clocks, so that the anchors agree. Chrony takes 12 s for a second.
        ("a first correction that was slewed fast", [anchor(1000, 1), anchor(1300, 0.005)], 1...1.02),
        ("a larger one would be a step", [anchor(1000, 60), anchor(1300, 0.005)], 1.18...1.19),
    ]

    @Test(arguments: cases) func theBarFollowsFromAllAnchors(
        _ example: (name: String, anchors: [ClockAnchor], bar: ClosedRange<Double>)
    ) {
        let (start, end) = (MonotonicTime(seconds: 1000), MonotonicTime(seconds: 2000))
        let all = WallClockError(by: example.anchors[0], example.anchors)
        #expect(
            example.bar.contains(all.bound(from: start, to: end)), "\(example.name): \(all.bound(from: start, to: end))"
        )
        var step = WallClockError(by: example.anchors[0])
        for count in example.anchors.indices { step.follow(Array(example.anchors[...count])) }
        #expect(step.bound(from: start, to: end) == all.bound(from: start, to: end))
        var again = all
        again.follow(example.anchors)
        #expect(again.bound(from: start, to: end) == all.bound(from: start, to: end))
    }

    /// Of a moment: also that of the only anchor, which no time lies before or behind.
    @Test(arguments: [(1000.0, 0.2), (999, 0.2001), (1300, 0.23), (2000, 0.3)])
    func aMomentHasABarToo(seconds: Double, bar: Double) {
        let (anchor, moment) = (Self.anchor(1000, 0.2), MonotonicTime(seconds: seconds))
        #expect(abs(WallClockError(by: anchor, [anchor]).bound(from: moment, to: moment) - bar) < 1e-6)
    }

    /// Over a thousand seconds, of a hundred samples a second: the crystal's 100 ppm; the 500 ppm and one slew by which
    /// a kernel that is steered may differ; and no more than UTC at both ends says.
    @Test(
        arguments: [
            ([], nil, 0.01), ([(.gps, 0.005)], nil, 0.01), ([(.rtc, 2)], nil, 0.01), ([(.kernel, 0.005)], nil, 0.0605),
            ([(.kernel, 5)], nil, 0.16), ([(.gps, 0.005), (.kernel, 0.1)], nil, 0.07),
            ([(.kernel, 0.005)], 0.01, 0.002),
            ([(.gps, 0.005)], 0.001, 0.0002), ([(.gps, 0.005)], 60, 0.01),
        ] as [([(ClockAnchor.Source, Double)], Double?, Double)])
    func theErrorOfARateIsThatOfItsClock(
        anchors: [(ClockAnchor.Source, Double)], clockError: Double?, expected: Double
    ) throws {
        var description = RecordingDescription(
            fileName: "000007-accelerometer.cwa", contentType: "application/x-cwa", countedUnit: .samples)
        (description.startUptime, description.endUptime) = (1_000, 2_000)
        description.anchors = anchors.map {
            .init(uptime: 1_000, time: "2026-11-21T10:00:00Z", source: $0.0.rawValue, uncertainty: $0.1)
        }
        description.clockError = clockError
        description.setRate(100, error: 0.25)
        #expect(description.measuredRate == 100)
        #expect(abs(try #require(description.measuredRateError) - 0.25 - expected) < 1e-9)
    }

    private func run(_ anchors: [ClockAnchor], atTheEnd last: [ClockAnchor]? = nil) throws -> [SealedRecording] {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "m", format: .cwa).recorder(
            of: .vectors(ring), source: Example.accelerometer, origin: Example.origin, folder: bench.folder())
        var sealed: [SealedRecording] = []
        for second in 0..<100 {
            Example.fill(ring, samples: second * 100..<second * 100 + 100)
            let now = MonotonicTime(seconds: 101 + Double(second))
            sealed += recorder.drain(at: now, anchors: anchors.filter { $0.monotonic <= now })
        }
        return sealed + recorder.stop(at: MonotonicTime(seconds: 201), anchors: last ?? anchors)
    }

    @Test func aBetterAnchorThatContradictsEndsTheFile() throws {
        let sealed = try run([Self.anchor(100, 0.005), Self.anchor(150, off: 0.3, 0.005)])
        #expect(sealed.count == 2)
        #expect(sealed.allSatisfy { ($0.description.clockError ?? 9) < 0.32 })
        #expect((sealed.last?.description.clockError ?? 9) < 0.02)
    }

    @Test func anAnchorWithinItsErrorDoesNotEndTheFileAndIsInItsBar() throws {
        let sealed = try run([Self.anchor(100, 0.2), Self.anchor(150, off: 0.3, 0.2)])
        #expect(sealed.count == 1 && (sealed.first?.description.clockError ?? 0) >= 0.5)
        let text = RecordingSummary(try #require(sealed.first).description, bytes: 1).text
        #expect(text.contains("wall clock ± 0.5"))
    }

    /// The clock's list is bounded: what left it while the file was open was seen all the same.
    @Test func anAnchorThatIsListedNoMoreIsInTheBarToo() throws {
        let first = Self.anchor(100, 0.2)
        let sealed = try run([first, Self.anchor(150, off: 0.3, 0.2)], atTheEnd: [first])
        #expect(sealed.count == 1 && (sealed.first?.description.clockError ?? 0) >= 0.5)
    }

    /// Ten thousand samples from 100 to 200 s wait in the ring until an anchor of 1000 s is there, by which the file's
    /// times go. Those before the first sample count as far as the last of them.
    @Test(
        arguments: [
            ([anchor(1000, 0.005, .gps)], 0.095), ([anchor(90, 0.005, .gps), anchor(1000, 0.005, .gps)], 0.016),
            ([anchor(80, 60, .rtc), anchor(90, 0.005, .gps), anchor(1000, 0.005, .gps)], 0.016),
        ])
    func samplesFromBeforeTheNewestAnchorAreBoundedByTheOneBeforeThemToo(
        anchors: [ClockAnchor], expected: Double
    ) throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "m", format: .cwa).recorder(
            of: .vectors(ring), source: Example.accelerometer, origin: Example.origin, folder: bench.folder())
        Example.fill(ring, samples: 0..<10_000)
        let sealed = recorder.stop(at: MonotonicTime(seconds: 1001), anchors: anchors)
        #expect(sealed.count == 1)
        #expect(abs(try #require(sealed.first?.description.clockError) - expected) < 1e-4)
    }

    @Test func theSummaryTellsStartAndSteadyStateApart() throws {
        let sealed = try run([Self.anchor(100, 0.2)])
        let text = RecordingSummary(try #require(sealed.first).description, bytes: 1).text
        #expect(text.contains("relative to each other, at most") && text.contains("in the first minute"))
    }

    private static let received = [anchor(1000, 0.005, .gps), anchor(2000, 0.005, .gps)]
    private static let steered = [anchor(1000, 0.005), anchor(1010, 0.5)]

    /// By hand from what a clock can do in between: a crystal's 100 ppm, 500 more where a kernel steers it, and a second
    /// that is slewed fast. Anchors of a receiver steer nothing.
    private static let between: [(anchors: [ClockAnchor], start: Double, end: Double, expected: Double)] = [
        // No larger than the larger one and half the drift between them, at the middle.
        (received, 1000, 2000, 0.055), (received, 1400, 1600, 0.055), (received, 1500, 1500, 0.055),
        (received, 1000, 1200, 0.025), (received, 1900, 2000, 0.015), (received, 1000, 1000, 0.005),
        (received, 2000, 2000, 0.005),
        // Before the first and behind the last by the crystal alone.
        (received, 900, 1000, 0.015), (received, 2000, 2200, 0.025), (steered, 900, 1000, 0.015),
        (steered, 1010, 1110, 0.51),
        // The better one counts at both sides of it.
        ([anchor(1000, 0.5, .rtc), anchor(2000, 0.005, .gps)], 1000, 2000, 0.105),
        ([anchor(1000, 0.5, .rtc), anchor(2000, 0.005, .gps)], 1500, 2000, 0.055),
        ([anchor(1000, 0.005, .gps), anchor(2000, 0.5, .rtc)], 1000, 2000, 0.105),
        ([anchor(1000, 0.005, .gps), anchor(2000, 0.5, .rtc)], 1000, 1300, 0.035),
        // What the second one shows is an error of the first one's line.
        ([anchor(1000, 0.005, .gps), anchor(2000, off: 0.02, 0.005, .gps)], 2000, 2000, 0.025),
        ([anchor(1000, 0.005, .gps), anchor(2000, off: -0.02, 0.005, .gps)], 2000, 2000, 0.025),
        // Steered at one end or at both: 600 ppm, up to half the crystal's drift above the larger.
        (steered, 1000, 1005, 0.008), ([anchor(1000, 0.005), anchor(1010, 0.005)], 1000, 1010, 0.0055),
        ([anchor(1000, 0.005, .gps), anchor(1010, 0.5)], 1000, 1005, 0.008),
        ([anchor(1000, 0.005), anchor(1010, 0.5, .rtc)], 1000, 1005, 0.008),
        ([anchor(1000, 0.005, .gps), anchor(1010, 0.5, .rtc)], 1000, 1005, 0.0055),
        // Of the first one's error as much as a second may have been slewed away at once.
        ([anchor(1000, 0.5), anchor(1010, 0.005)], 1000, 1010, 0.5005),
        ([anchor(1000, 60), anchor(1010, 0.005)], 1000, 1010, 1.011),
    ]

    @Test(arguments: between.indices) func betweenTwoAnchorsTheErrorIsWhatAClockCanDo(index: Int) {
        let (anchors, start, end, expected) = Self.between[index]
        let bound = WallClockError(by: anchors[0], anchors).bound(
            from: MonotonicTime(seconds: start), to: MonotonicTime(seconds: end))
        #expect(abs(bound - expected) < 1e-6, "\(bound)")
    }
}
