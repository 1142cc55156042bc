// SPDX-License-Identifier: Apache-2.0
import Testing
import Times

@testable import Sensors

/// 100 Hz by name; batches of 20 whose newest samples are taken at a true rate.
private func pace(trueRate: Double, batches: Int) -> SamplePace {
    var pace = SamplePace(nominalRate: 100, start: at(0))
    for batch in 1...batches { pace.fetched(20, newest: at(20 * Double(batch) / trueRate)) }
    return pace
}

@Test func theRateIsLearntFromEnoughSamples() {
    #expect(pace(trueRate: 95, batches: 24).rate == 100)
    #expect(abs(pace(trueRate: 95, batches: 25).rate - 95) < 1e-6)
}

@Test(arguments: [50.0, 130])
func anImpossibleRateIsNotBelieved(_ rate: Double) {
    #expect(pace(trueRate: rate, batches: 100).rate == 100)
}

@Test func whatCameSinceIsReckonedWithTheLearntRate() {
    var pace = pace(trueRate: 95, batches: 100)
    let newest = pace.accountedUntil
    #expect(pace.produced(at: newest) == 0 && pace.produced(at: newest - .seconds(1)) == 0)
    #expect(pace.produced(at: newest + .seconds(10)) == 950 || pace.produced(at: newest + .seconds(10)) == 949)
    pace.lost(until: newest + .seconds(10))
    #expect(pace.produced(at: newest + .seconds(10)) == 0 && abs(pace.rate - 95) < 1e-6)
}

@Test func aClockThatStandsStillChangesNothing() {
    var pace = SamplePace(nominalRate: 100, start: at(5))
    for _ in 0..<100 { pace.fetched(20, newest: at(5)) }
    #expect(pace.rate == 100)
}
