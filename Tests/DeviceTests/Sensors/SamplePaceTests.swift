// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Device

/// A chip of 100 Hz by name that samples at a true rate, looked at whenever its pace says,
/// `late` each time.
private struct Chip {
    let trueRate: Double
    let phase: Double
    var pace: SamplePace
    var fetched = 0

    init(trueRate: Double, phase: Double = 0.3) {
        self.trueRate = trueRate
        self.phase = phase
        pace = SamplePace(nominalRate: 100, start: at(0))
        pace.begin(at: at(0))
    }

    /// The time of sample 1, 2, ...
    func truth(_ sample: Int) -> MonotonicTime { at((Double(sample) + phase) / trueRate) }

    /// Fetches watermarks of 20; how many looks found none.
    mutating func run(batches: Int, late: (Int) -> Double = { _ in 0 }) -> Int {
        var idle = 0
        var round = 0
        while fetched < 20 * batches {
            round += 1
            let now =
                max(pace.certainTime(ofSample: 20), pace.likelyTime(ofSample: 21))
                + .nanoseconds(Int64(late(round) * 1e9))
            let taken = max(0, Int(Double(now.nanoseconds) / 1e9 * trueRate - phase))
            pace.observe(taken - fetched, from: now, to: now)
            if taken - fetched < 20 { idle += 1 }
            while taken - fetched >= 20 {
                pace.countFetched(20)
                fetched += 20
            }
        }
        return idle
    }
}

struct SamplePaceTests {
    @Test(arguments: [90.0, 95, 99.2, 100, 100.8, 109.5], [-0.9, 0.0, 0.4])
    func noLookIsInVainAndTheMomentsOfSamplesAreFound(_ trueRate: Double, _ phase: Double) {
        var chip = Chip(trueRate: trueRate, phase: phase)
        #expect(chip.run(batches: 10) <= 1)
        #expect(chip.run(batches: 500) == 0)
        #expect(abs(chip.pace.rate / trueRate - 1) < 1e-4)
        for ahead in [1, 20] {
            let truth = chip.truth(chip.fetched + ahead)
            #expect(
                chip.pace.certainTime(ofSample: ahead) >= truth
                    && chip.pace.certainTime(ofSample: ahead) - truth < .microseconds(300))
        }
    }

    @Test func aLateHostOnlySlowsTheFindingDown() {
        var random = SystemlessRandom(state: 7)
        var chip = Chip(trueRate: 100.8)
        #expect(chip.run(batches: 2000) { _ in Double(random.next() % 5000) / 1e6 } <= 1)
        let truth = chip.truth(chip.fetched)
        #expect(chip.pace.newestUpperBound >= truth && chip.pace.newestUpperBound - truth < .milliseconds(1))
    }

    @Test(arguments: [50.0, 130])
    func anImpossibleRateIsNotBelieved(_ rate: Double) {
        var chip = Chip(trueRate: rate)
        _ = chip.run(batches: 100)
        #expect(chip.pace.rate >= 79 && chip.pace.rate <= 126)
    }

    @Test func whatCameSinceIsReckonedWithTheLearntRate() {
        var chip = Chip(trueRate: 95)
        _ = chip.run(batches: 100)
        let newest = chip.truth(chip.fetched)
        #expect(chip.pace.produced(at: newest - .seconds(1)) == 0)
        #expect((949...951).contains(chip.pace.produced(at: newest + .seconds(10))))
        chip.pace.countLost(950)
        #expect(chip.pace.produced(at: newest + .seconds(10)) <= 1 && abs(chip.pace.rate - 95) < 0.1)
    }

    @Test func anEdgeTellsTheMomentAtOnceUnlessItIsOfAnotherSample() {
        var chip = Chip(trueRate: 100)
        _ = chip.run(batches: 2)
        chip.pace.recordEdge(ofSample: 20, at: chip.truth(chip.fetched + 20))
        #expect(chip.pace.certainTime(ofSample: 20) == chip.truth(chip.fetched + 20))
        let likely = chip.pace.likelyTime(ofSample: 20)
        chip.pace.recordEdge(ofSample: 20, at: chip.truth(chip.fetched + 24))
        #expect(chip.pace.likelyTime(ofSample: 20) == likely)
    }

    /// In samples after the burst: a quarter of it, or of the room that is left, and one at least; with a line, which
    /// calls by itself, a burst or half the room. Without room for two more, parts of a sample.
    @Test(
        arguments: [
            (20, 100, false, 5), (20, 32, false, 3), (4, 32, false, 1), (2, 32, false, 1), (20, 22, false, 1),
            (20, 21, false, 0.25), (20, 20, false, 0.25), (20, 100, true, 20), (20, 32, true, 6), (20, 21, true, 0.4),
            (20, 20, true, 0.4),
        ] as [(Int, Int, Bool, Double)])
    func aBurstIsWaitedForNoLongerThanItsRoomAllows(watermark: Int, depth: Int, isWired: Bool, samples: Double) {
        var chip = Chip(trueRate: 100)
        _ = chip.run(batches: 500)
        chip.pace.recordEdge(ofSample: 20, at: chip.truth(chip.fetched + 20))
        chip.pace.countFetched(20)
        let look = chip.pace.nextLook(watermark: watermark, depth: depth, line: isWired ? SilentLine() : nil)
        #expect(look.ready == chip.pace.certainTime(ofSample: watermark))
        #expect(look.due - look.ready == chip.pace.duration(ofSamples: samples))
    }
}

private final class SilentLine: InterruptLine {
    let descriptor: CInt = -1
    func readEdge() throws(SystemError) -> MonotonicTime? { nil }
}

/// A generator of the same numbers every time.
private struct SystemlessRandom {
    var state: UInt64
    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }
}
