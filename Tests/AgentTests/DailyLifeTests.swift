// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import SimulatedWorld

/// Made lives, which begin with a Monday.
@Suite struct DailyLifeTests {
    private static let day = 86_400.0
    private static let days = 280
    private static let home = World.Position(latitude: 52.4, longitude: 13.05)

    private static func life(_ seed: UInt64, days: Int = days) -> DailyLife {
        DailyLife(midnights: (0...days).map { Double($0) * day }, seed: seed, home: home)
    }

    private static let long = life(2)

    /// Metres between two places some kilometres apart.
    private static func metres(_ one: World.Position, _ other: World.Position) -> Double {
        let north = (one.latitude - other.latitude) * 111_320
        let east = (one.longitude - other.longitude) * 111_320 * 0.610_145  // cos 52.4°
        return (north * north + east * east).squareRoot()
    }

    private static func length(_ vector: SIMD3<Double>) -> Double { (vector * vector).sum().squareRoot() }

    @Test func spansFollowOneAnotherFromTheFirstMidnightToTheLast() {
        let spans = Self.long.spans
        #expect(spans.first?.start == 0 && spans.last?.end == Double(Self.days) * Self.day)
        for (span, next) in zip(spans, spans.dropFirst()) {
            #expect(span.end == next.start && span.start < span.end && span.activity != next.activity)
        }
    }

    /// Hours of the day in which a long walk begins and minutes that it lasts: at noon and in the evening of
    /// five days of seven, in the morning and in the afternoon of the others.
    @Test(
        arguments: [
            (true, 12.1...12.5, 500.0...900.0), (true, 19.0...20.0, 270.0...1_600.0),
            (false, 10.0...11.0, 1_200.0...3_600.0), (false, 15.0...16.0, 1_200.0...2_700.0),
        ] as [(Bool, ClosedRange<Double>, ClosedRange<Double>)])
    func aLongWalkBeginsAndLastsAnywhereInItsRange(
        isWorkday: Bool, hours: ClosedRange<Double>, seconds: ClosedRange<Double>
    ) {
        // Who gets up from a seat walks for 260 s at most.
        let long = Self.long.spans.filter { $0.activity == .walk && $0.end - $0.start > 270 }
        let found = long.filter { span in
            let hour = span.start.truncatingRemainder(dividingBy: Self.day) / 3600
            return (Int(span.start / Self.day) % 7 < 5) == isWorkday
                && (hours.lowerBound - 0.001...hours.upperBound + 0.001).contains(hour)
        }
        let begins = found.map { $0.start.truncatingRemainder(dividingBy: Self.day) / 3600 }
        let lasts = found.map { $0.end - $0.start }
        #expect(found.count >= (isWorkday ? 120 : 75), "\(found.count)")
        for (values, range) in [(begins, hours), (lasts, seconds)] {
            let margin = (range.upperBound - range.lowerBound) / 4
            let (least, most) = (values.min() ?? 0, values.max() ?? 0)
            #expect(least >= range.lowerBound - 0.001 && least < range.lowerBound + margin, "\(least) of \(range)")
            #expect(most <= range.upperBound + 0.001 && most > range.upperBound - margin, "\(most) of \(range)")
        }
    }

    /// The way back from every walk is walked, too: at night the participant is at home, and at noon
    /// of a workday 6 to 10 km away. A receiver is some metres off.
    @Test(arguments: 1...8 as ClosedRange<UInt64>) func everyWalkEndsWhereItBegan(seed: UInt64) {
        let life = Self.life(seed, days: 14)
        for day in 0..<14 {
            let midnight = Double(day) * Self.day
            #expect(Self.metres(life.position(at: midnight + 3 * 3600), Self.home) < 10, "night \(day)")
            let noon = Self.metres(life.position(at: midnight + 14 * 3600), Self.home)
            #expect(day % 7 < 5 ? (5_800...10_200).contains(noon) : noon < 400, "day \(day): \(noon) m")
        }
    }

    /// What points up, forwards and to the left is at right angles: of a field of 20 µT to the north and 44 µT
    /// into the ground the strength is the same in every posture.
    @Test(arguments: 1...3 as ClosedRange<UInt64>) func theFieldIsAsStrongInEveryPosture(seed: UInt64) {
        let life = Self.life(seed, days: 7)
        let strength = (20.0 * 20 + 44 * 44).squareRoot()
        for span in life.spans where span.end - span.start > 10 {
            let time = span.end - 1
            let field = life.magneticField(at: time)
            #expect(abs(Self.length(field) - strength) < 1e-9, "\(span.activity) at \(time)")
        }
    }

    /// A body has mass: who gets up to walk turns the device within seconds, and not between two samples.
    @Test(arguments: 1...3 as ClosedRange<UInt64>) func whoGetsUpTurnsTheDeviceWithoutAJump(seed: UInt64) {
        let life = Self.life(seed, days: 7)
        var most = 0.0
        for (span, next) in zip(life.spans, life.spans.dropFirst())
        where span.activity == .sit && next.activity == .walk {
            let before = life.acceleration(at: next.start - 0.01)
            let jump = Self.length(life.acceleration(at: next.start + 0.01) - before)
            #expect(jump < 0.6, "\(jump) g at \(next.start)")
            most = max(most, Self.length(life.acceleration(at: next.start + 4) - before))
        }
        #expect(most > 0.9)
    }

    /// A device that lies still feels 1 g upwards, and the field 44 µT against it.
    @Test func aDeviceThatIsNotWornLiesStill() {
        let life = DailyLife(midnights: [0, Self.day], away: [0: 9.0...17.0], seed: 3, home: Self.home)
        for hour in stride(from: 9.5, to: 17, by: 0.5) {
            #expect(life.activity(at: hour * 3600) == .notWorn)
            let up = life.acceleration(at: hour * 3600)
            #expect(abs(Self.length(up) - 1) < 1e-9)
            #expect(abs((up * life.magneticField(at: hour * 3600)).sum() + 44) < 1e-9)
            #expect(life.angularRate(at: hour * 3600) == .zero)
        }
        #expect(life.activity(at: 8.9 * 3600) != .notWorn && life.activity(at: 17.1 * 3600) != .notWorn)
    }
}
