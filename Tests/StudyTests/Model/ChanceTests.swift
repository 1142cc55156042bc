// SPDX-License-Identifier: Apache-2.0
import Study
import Testing

@Suite struct ChanceTests {
    /// Vigna's splitmix64.c with seed 1234567 (as Rosetta Code publishes it) and with seed 0 (as
    /// Java and others publish it).
    @Test(
        arguments: [
            (
                1_234_567,
                [
                    6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                    4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
                ]
            ),
            (0, [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F]),
        ] as [(UInt64, [UInt64])])
    func sequenceIsThePublishedOne(seed: UInt64, expected: [UInt64]) {
        var generator = SplitMix64(seed: seed)
        #expect(expected.map { _ in generator.next() } == expected)
    }

    @Test func drawsAreEvenAndInRange() {
        var generator = SplitMix64(seed: 1)
        var counts = [Int](repeating: 0, count: 7)
        for _ in 0..<7000 { counts[generator.below(7)] += 1 }
        #expect(counts.allSatisfy { (850...1150).contains($0) })
        #expect(generator.below(1) == 0)
    }

    @Test func shuffleKeepsEveryElementOnce() {
        var generator = SplitMix64(seed: 2)
        let shuffled = generator.shuffled(Array(0..<100))
        #expect(shuffled.sorted() == Array(0..<100))
        #expect(shuffled != Array(0..<100))
        #expect(generator.shuffled([Int]()) == [])
    }

    /// The digest replaces SHA-256: what counts is that seed and name go into it and its first
    /// eight bytes come out.
    @Test func eachNameHasAGeneratorOfItsOwn() {
        let chance = Chance(seed: [1, 2]) { bytes in
            let hash = bytes.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
            return withUnsafeBytes(of: hash.bigEndian) { Array($0) } + [UInt8](repeating: 0, count: 24)
        }
        var first = chance.generator(for: "condition")
        var again = chance.generator(for: "condition")
        var other = chance.generator(for: "module u-log/occurrence 3")
        let value = first.next()
        #expect(value == again.next())
        #expect(value != other.next())
    }

    @Test func seedIsTheDigestsFirstEightBytesBigEndian() {
        var generator = Chance(seed: []) { _ in [0, 0, 0, 0, 0, 0x12, 0xD6, 0x87] + [9, 9] }.generator(for: "x")
        #expect(generator.next() == 6_457_827_717_110_365_317)
    }
}
