// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import Device

@Suite struct ThirdOctaveBankTests {
    /// The mean squares as dB re a full-scale sine, after a second for the filters to settle.
    private func levels(_ rate: Double, seconds: Double = 2, _ signal: (Double) -> Double) -> [Double] {
        var bank = ThirdOctaveBank(rate: rate)
        for index in 0..<Int(rate * seconds) {
            if index == Int(rate) { bank.restartInterval() }
            bank.add(signal(Double(index) / rate))
        }
        return bank.drainMeanSquares().map { 10 * log10(max(2 * $0, 1e-20)) }
    }

    @Test(arguments: [(48_000.0, 30, 20_000.0), (44_100, 29, 16_000), (16_000, 25, 6300), (8000, 22, 3150)])
    func theBandsReachToTheNyquistFrequency(_ rate: Double, _ count: Int, _ last: Double) {
        let bank = ThirdOctaveBank(rate: rate)
        #expect(bank.nominalFrequencies.count == count)
        #expect(bank.nominalFrequencies.first == 25 && bank.nominalFrequencies.last == last)
    }

    @Test(arguments: [16_000.0, 48_000]) func aToneInTheMiddleOfABandIsReadThereAndNowhereElse(_ rate: Double) {
        let count = ThirdOctaveBank(rate: rate).nominalFrequencies.count
        for band in stride(from: 0, to: count, by: rate > 20_000 ? 9 : 5) + [count - 1] {
            let frequency = 1000 * pow(10, Double(band - 16) / 10)
            let read = levels(rate) { sin(2 * .pi * frequency * $0) }
            #expect(abs(read[band]) < 0.1, "\(frequency) Hz: \(read[band])")
            for (other, level) in read.enumerated() where other != band {
                let least: [Double] = [0, 15, 34, 45, 60]
                #expect(level < -least[min(4, abs(other - band))], "\(frequency) Hz in band \(other): \(level)")
            }
        }
    }

    /// Limits of relative attenuation of class 1 (IEC 1260:1995) by the exponent of the octave
    /// ratio for an octave filter:
    /// from memory, and as public sound level software has them; the standard itself was not read.
    static let limits: [(exponent: Double, least: Double, most: Double)] = [
        (0, -0.3, 0.3), (1.0 / 8, -0.3, 0.4), (1.0 / 4, -0.3, 0.6), (3.0 / 8, -0.3, 1.3), (0.4999, -0.3, 5),
        (0.5001, 2, .infinity), (1, 17.5, .infinity), (2, 42, .infinity), (3, 61, .infinity), (4, 70, .infinity),
    ]

    @Test(arguments: [16_000.0, 22_050, 24_000, 32_000, 44_100, 48_000])
    func everyBandKeepsToTheLimitsOfClassOne(_ rate: Double) {
        for band in 0..<30 where ThirdOctaveBank.edges(of: band).upper <= 0.47 * rate {
            let edges = ThirdOctaveBank.edges(of: band)
            // As the bank has it: the lowest rate at which the band does not pass 0.235 of it.
            var own = rate
            while edges.upper <= 0.235 * own / 2 { own /= 2 }
            let filter = ThirdOctaveBand(lower: edges.lower, upper: edges.upper, rate: own)
            let middle = (edges.lower * edges.upper).squareRoot()
            for limit in Self.limits {
                let octave = pow(10, 0.3 * limit.exponent)
                let share = (pow(10, 0.05) - 1) / (pow(10, 0.15) - 1)
                let ratio = 1 + share * (octave - 1)
                for frequency in [middle * ratio, middle / ratio] where frequency < own / 2 {
                    let attenuation = -filter.decibels(at: frequency, rate: own)
                    let isWithin: Bool = attenuation >= limit.least && attenuation <= limit.most
                    #expect(isWithin, "\(Int(middle)) Hz at \(frequency) Hz: \(attenuation)")
                }
            }
        }
    }

    @Test func pinkNoiseIsFlat() {
        // Six tones for each band, in equal steps of their logarithm: pink noise of an exactly
        // known level.
        let tones = (0..<22 * 6).map { index in
            (
                frequency: 1000 * pow(10, (Double(index) - 2.5) / 60 - 1.6),
                phase: Double(index * index) * 0.618_034
            )
        }
        let read = levels(8000, seconds: 4) { time in
            tones.reduce(0) { $0 + 0.01 * sin(2 * .pi * ($1.frequency * time + $1.phase)) }
        }
        let expected = 10 * log10(6 * 0.01 * 0.01)
        // A Butterworth band of this order passes 1.026 times its width, which is 0.1 dB.
        for (band, level) in read.enumerated().dropFirst().dropLast() {
            #expect(abs(level - expected - 0.1) < 0.15, "band \(band): \(level - expected)")
        }
    }

    @Test func aGapLeavesNothingBehind() {
        var bank = ThirdOctaveBank(rate: 16_000)
        for index in 0..<16_000 { bank.add(sin(Double(index))) }
        bank.restart()
        for _ in 0..<16_000 { bank.add(0) }
        #expect(bank.drainMeanSquares().allSatisfy { $0 == 0 })
    }
}

private func + (left: StrideTo<Int>, right: [Int]) -> [Int] { Array(left) + right }
