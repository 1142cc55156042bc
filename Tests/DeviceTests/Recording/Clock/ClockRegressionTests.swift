// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device

@Suite struct ClockRegressionTests {
    /// Runs an hour of batches and returns the sorted errors of the first sample of every block,
    /// in milliseconds.
    private func errors(
        rate: Double, nominal: Double, batch: Int, jitter: (inout Noise) -> Double
    ) -> (sorted: [Double], regression: ClockRegression) {
        var noise = Noise(seed: 1)
        var regression = ClockRegression(nominalRate: nominal)
        var errors: [Double] = []
        var last = batch - 1
        while Double(last) / rate < 3600 {
            let stamp = 50 + Double(last) / rate + jitter(&noise)
            _ = regression.add(MonotonicTime(seconds: stamp), of: Int64(last))
            let sample = last - batch + 1
            let time = regression.time(of: Int64(sample))
            errors.append(abs(Double((time ?? .zero).nanoseconds) / 1e9 - 50 - Double(sample) / rate) * 1000)
            last += batch
        }
        return (errors.sorted(), regression)
    }

    @Test(arguments: [
        (100.8, 100.0, 25), (99.2, 100.0, 25), (109.0, 100.0, 20), (10.08, 10.0, 1), (15_900, 16_000, 256),
    ])
    func timesAreGoodToAMillisecondWithFiveMillisecondsOfJitter(rate: Double, nominal: Double, batch: Int) {
        let (sorted, regression) = errors(rate: rate, nominal: nominal, batch: batch) { noise in
            Double.random(in: 0...0.005, using: &noise)
        }
        #expect(sorted[sorted.count * 99 / 100] <= 1)
        #expect(abs(regression.rate / rate - 1) < 2e-5)
        #expect(abs(regression.rate - rate) < 5 * regression.rateError)
    }

    @Test func stallsOfTheHostDoNotMoveTheLine() {
        let (sorted, _) = errors(rate: 100.8, nominal: 100, batch: 25) { noise in
            let isStall = Int.random(in: 0..<20, using: &noise) == 0
            return Double.random(in: 0...0.005, using: &noise) + (isStall ? 0.4 : 0)
        }
        #expect(sorted[sorted.count * 99 / 100] <= 1)
    }

    @Test func uncountedSamplesAreFoundAsAJump() {
        var regression = ClockRegression(nominalRate: 100)
        var jumps: [Duration] = []
        for batch in 0..<400 {
            let index = Int64(batch * 25 + 24)
            let lost = batch >= 200 ? 0.5 : 0
            let verdict = regression.add(MonotonicTime(seconds: Double(index) / 100 + lost), of: index)
            if case .jumped(let by) = verdict { jumps.append(by) }
        }
        #expect(jumps.count == 1)
        #expect(abs((jumps.first ?? .zero).seconds - 0.5) < 0.001)
    }

    @Test func aRestartKeepsTheRateAndThePast() {
        var regression = ClockRegression(nominalRate: 100)
        for batch in 0..<400 {
            let index = Int64(batch * 25 + 24)
            _ = regression.add(MonotonicTime(seconds: Double(index) / 102), of: index)
        }
        let error = regression.rateError
        regression.restart()
        #expect(abs(regression.rate - 102) < 0.01)
        #expect(regression.time(of: 10_200)?.nanoseconds ?? 0 > 99_990_000_000)
        _ = regression.add(MonotonicTime(seconds: 200), of: 11_000)
        #expect(abs((regression.time(of: 10_898) ?? .zero).nanoseconds - 199_000_000_000) < 1_000_000)
        // It may have moved a little meanwhile: by 100 ppm.
        #expect(abs(regression.rateError - error - 0.0102) < 0.000_1)
    }

    /// Of sound a stamp comes every 16 ms, and most of them 5 ms late; one in 625, every ten seconds, is not.
    @Test func theLeastLateStampIsRememberedHoweverOftenOneComes() {
        var regression = ClockRegression(nominalRate: 16_000)
        var worst = 0.0
        for block in 0..<7_500 {
            let index = Int64(block * 256)
            let truth = 50 + Double(index) / 16_000
            let late = block % 625 == 0 ? 0 : 0.005
            #expect(regression.add(MonotonicTime(seconds: truth + late), of: index) == .accepted)
            guard truth > 80 else { continue }
            worst = max(worst, abs(Double((regression.time(of: index) ?? .zero).nanoseconds) / 1e9 - truth))
        }
        #expect(worst < 0.001, "\(worst)")
    }

    /// All are 5 ms late but the last, which is one of several in a quarter of a second.
    @Test func aStampThatIsLessLateCountsAtOnce() throws {
        var regression = ClockRegression(nominalRate: 10)
        for index in 0..<22 {
            _ = regression.add(MonotonicTime(seconds: 50.005 + Double(index) / 10), of: Int64(index))
        }
        let before = try #require(regression.time(of: 21))
        #expect(abs((before - MonotonicTime(seconds: 52.105)).nanoseconds) < 500_000)
        _ = regression.add(MonotonicTime(seconds: 52.2), of: 22)
        let after = try #require(regression.time(of: 22))
        #expect(abs((after - MonotonicTime(seconds: 52.2)).nanoseconds) < 500_000)
    }

    /// Four stamps in a row over two seconds, all late, are a jump. Those before a gap are none of them.
    @Test(arguments: [(false, ClockRegression.Verdict.jumped(by: .milliseconds(500))), (true, .late)])
    func aGapForgetsWhatWasLateBeforeIt(isCut: Bool, last: ClockRegression.Verdict) {
        var regression = ClockRegression(nominalRate: 100)
        var index: Int64 = 0
        func add(late: Double = 0, samples: Int64 = 25) -> ClockRegression.Verdict {
            index += samples
            return regression.add(MonotonicTime(seconds: 50 + Double(index) / 100 + late), of: index)
        }
        for _ in 0..<60 { #expect(add() == .accepted) }
        for _ in 0..<8 { #expect(add(late: 0.5) == .late) }
        if isCut {
            regression.restart()
            // Ten seconds of stamps tell what is late.
            for _ in 0..<40 { #expect(add() == .accepted) }
        }
        let verdict = add(late: 0.5, samples: 50)
        if case .jumped(let by) = verdict, case .jumped(let expected) = last {
            #expect(abs((by - expected).nanoseconds) < 1_000_000)
        } else {
            #expect(verdict == last)
        }
    }

    /// Two stamps half a second apart, each late by 50 ms or not at all, of a chip whose rate is within the
    /// 5 % that are believed: the period lies within the error that is said.
    @Test(arguments: [[0, 0], [0, 0.05], [0.05, 0], [0.05, 0.05]] as [[Double]], [95.5, 100, 104.5])
    func theErrorOfTheRateHoldsFromTheSecondStampOn(delays: [Double], rate: Double) {
        var regression = ClockRegression(nominalRate: 100)
        for (index, late) in zip([0, 50], delays) {
            let time = MonotonicTime(seconds: 10 + Double(index) / rate + late)
            #expect(regression.add(time, of: Int64(index), lateness: .milliseconds(50)) == .accepted)
        }
        let error = regression.rateError / regression.rate / regression.rate
        #expect(abs(1 / regression.rate - 1 / rate) <= error * 1.0001, "\(regression.rate) ± \(regression.rateError)")
        #expect(regression.rateError < 0.11 * regression.rate)
    }

    @Test func beforeTheFirstStampThereIsNoTime() {
        #expect(ClockRegression(nominalRate: 100).time(of: 0) == nil)
    }

    /// A chip that counted long before it was asked has the times, and their errors, of one that began then.
    @Test(arguments: [nil, Duration.milliseconds(1)]) func whereTheCountBeginsDoesNotMatter(lateness: Duration?) {
        let before: Int64 = 1_000_000
        var noise = Noise(seed: 4)
        var (young, old) = (ClockRegression(nominalRate: 100), ClockRegression(nominalRate: 100))
        for batch in 0..<400 {
            let index = Int64(batch * 25 + 24)
            let late = Double.random(in: 0...0.001, using: &noise)
            let time = MonotonicTime(seconds: 50 + Double(index) / 100.3 + late)
            _ = young.add(time, of: index, lateness: lateness)
            _ = old.add(time, of: before + index, lateness: lateness)
        }
        for index: Int64 in [0, 24, 5_000, 9_999, 20_000] {
            #expect(old.time(of: before + index) == young.time(of: index))
            #expect(old.error(of: before + index) == young.error(of: index))
        }
        #expect(young.error(of: 5_000) < .milliseconds(5) && young.error(of: 20_000) < .seconds(1))
    }

    /// A chip that warms up for twenty minutes runs at another rate from then on: eleven minutes later what
    /// it did before is not looked at any more. The stamps are exact, the rates those of a line with a bend.
    @Test func stampsOfMoreThanTenMinutesAgoAreForgotten() {
        var regression = ClockRegression(nominalRate: 100)
        let (slow, fast, bend) = (0.01, 0.01 * (1 - 20e-6), 120_000)
        for index in stride(from: 9, to: bend + 66_000, by: 10) {
            let time = Double(min(index, bend)) * slow + Double(max(0, index - bend)) * fast
            #expect(regression.add(MonotonicTime(seconds: 50 + time), of: Int64(index)) == .accepted)
        }
        #expect(abs(regression.rate * fast - 1) < 1e-6, "\((regression.rate * fast - 1) * 1e6) ppm")
    }
}
