// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device

@Suite struct DistancePathTests {
    /// A degree of a great circle of the Earth's mean radius, IUGG's 6 371 008.8 m.
    private static let degree = 6_371_008.8 * Double.pi / 180

    @Test func theWayIsCountedFromFixToFix() {
        var path = DistancePath()
        func isNear(_ metres: Double?, _ degrees: Double?) -> Bool {
            guard let metres, let degrees else { return (metres == nil) == (degrees == nil) }
            return abs(metres - degrees * Self.degree) < 1e-3
        }
        let steps: [(to: (latitude: Double, longitude: Double), isMoving: Bool, relative: Double?, total: Double?)] = [
            ((0, 0), true, nil, 0), ((1, 0), true, 1, 1), ((1, 0), true, 0, 1), ((3, 0), false, 2, nil),
            ((2.5, 0), true, 0.5, 1.5), ((0, 0), true, 2.5, 4), ((0, -2), true, 2, 6),
        ]
        for step in steps {
            let found = path.add(step.to, isMoving: step.isMoving)
            #expect(isNear(found.relative, step.relative) && isNear(found.total, step.total), "\(step)")
        }
    }

    @Test func theBearingIsThatFromTheLastFix() {
        var path = DistancePath()
        #expect(path.bearing(to: (0, 0)) == nil)
        _ = path.add((10, 10), isMoving: true)
        _ = path.add((0, 0), isMoving: false)
        #expect(path.bearing(to: (0, 0)) == nil)
        for (latitude, longitude, quarters) in [(1.0, 0.0, 0.0), (0, 1, 1), (-1, 0, 2), (0, -1, 3)] {
            let bearing = path.bearing(to: (latitude, longitude))
            #expect(abs((bearing ?? 9) - quarters * .pi / 2) < 1e-9, "\(quarters)")
        }
    }

    @Test func secondsCountFromTheFirstFix() {
        var path = DistancePath()
        let start = Instant(seconds: 1_795_251_600)
        for seconds in [0, 2, 61] { #expect(path.seconds(at: start + .seconds(seconds)) == Double(seconds)) }
    }

    /// Fixes a thousandth of a degree apart; those that are not known to 20 m are passed over.
    @Test func whatAParticipantMovedIsCountedBetweenExactFixes() {
        var distance = MotionDistance()
        let steps: [(place: Double, accuracy: Double?, isMoving: Bool, total: Double?)] = [
            (0, 20, true, nil), (1, 20, true, 1), (2, 20.1, true, 1), (2, 0, true, 1), (2, nil, true, 1),
            (3, 5, true, 3), (4, 5, false, nil), (5, 5, true, 1), (7, 5, true, 3),
        ]
        for step in steps {
            let found = distance.add((0, step.place / 1000), accuracy: step.accuracy, isMoving: step.isMoving)
            #expect((found == nil) == (step.total == nil), "\(step)")
            #expect(abs((found ?? 0) - (step.total ?? 0) * Self.degree / 1000) < 1e-3, "\(step)")
        }
    }
}
