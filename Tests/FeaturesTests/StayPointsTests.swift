// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Features

/// By PyPI's trackintel, in `expected-stays.csv`: a week that crosses the date line and has gaps.
@Suite struct StayPointsTests {
    @Test func staysAreThoseOfTrackintel() throws {
        let expected = try Expected("stays").rows
        var stays = StayPoints()
        let found = Signals.positions(seed: 11).compactMap { stays.add($0) }
        #expect(expected.count > 40 && found.count == expected.count)
        for (stay, theirs) in zip(found, expected) {
            #expect(Double(stay.start.seconds) == theirs[0] && Double(stay.end.seconds) == theirs[1])
            // trackintel takes positions that are the same for one: half a metre.
            #expect(abs(stay.latitude - theirs[2]) < 1e-5 && abs(stay.longitude - theirs[3]) < 1e-5)
        }
    }

    @Test func aDegreeOfLatitudeIsATwentiethPartOfAbout2224Kilometres() {
        let zero = PositionSample(time: Signals.start, latitude: 0, longitude: 0)
        let one = PositionSample(time: Signals.start, latitude: 1, longitude: 0)
        #expect(abs(StayPoints.metres(zero, one) - 111_194.93) < 0.01)
    }

    @Test func aVisitBeginsWithItsFifthMinute() {
        var run = FeatureRun(FeatureCatalog.positions(["visits"], .minute), epoch: .minute, rate: 1)
        var rows: [FeatureRow] = []
        for second in 0..<420 {
            rows += run.add(
                PositionSample(time: Signals.start + .seconds(second), latitude: 52.5, longitude: 13.4))
        }
        rows += run.finish()
        #expect(rows.map { $0.values[0] } == [59, 119, 179, 239, 299, 359, 419])
        #expect(rows.map { $0.values[1] } == [0, 0, 0, 0, 0, 1, 1])
    }
}
