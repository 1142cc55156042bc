// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base

@Suite struct MonotonicTimeTests {
    @Test func differencesAndSumsUndoEachOther() {
        let early = MonotonicTime(nanoseconds: 5)
        let late = early + .milliseconds(245)
        #expect(late - early == .milliseconds(245))
        #expect(late - .milliseconds(245) == early)
        #expect(early < late)
    }

    @Test func durationsAreCutTowardsZeroAndSaturate() {
        #expect(Duration(secondsComponent: 0, attosecondsComponent: 1_999_999_999).nanoseconds == 1)
        #expect(Duration(secondsComponent: 0, attosecondsComponent: -1_999_999_999).nanoseconds == -1)
        #expect(Duration.seconds(Int64.max).nanoseconds == .max)
        #expect(Duration.seconds(Int64.min).nanoseconds == .min)
        #expect(Duration.milliseconds(-1500).milliseconds == -1500)
        #expect(Duration.milliseconds(1500).seconds == 1.5)
    }

    @Test(
        arguments: [(nil, nil, nil), (1, nil, 1), (nil, 2, 2), (1, 2, 1), (2, 1, 1)] as [(Int?, Int?, Int?)])
    func theEarlierIsTheOneThatComes(one: Int?, other: Int?, first: Int?) { #expect(earliest(one, other) == first) }

    @Test(arguments: [(-1.5, 1.5), (0, 0), (1.5, 1.5)]) func aMagnitudeHasNoSign(seconds: Double, expected: Double) {
        #expect(Duration.seconds(seconds).magnitude == .seconds(expected))
    }
}
