// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent

@Suite struct ChunkPaceTests {
    /// Links from a modem's 1 kB/s to a gigabit: how long each piece takes, in the
    /// order of sending.
    @Test(arguments: [1_000, 10_000, 60_000, 1_000_000, 100_000_000] as [Double])
    func aPieceSoonTakesSomeSecondsOnAnyLink(rate: Double) {
        var pace = ChunkPace()
        var times: [Double] = []
        for _ in 0..<10 {
            let time = 0.05 + Double(pace.chunk) / rate
            times.append(time)
            pace.recordTransfer(of: pace.chunk, in: .seconds(time))
        }
        #expect(times.dropFirst(2).allSatisfy { $0 < 17 })
        #expect(rate < 5_000 || times.dropFirst(2).allSatisfy { $0 < 5 })
        #expect(rate < 10_000_000 || pace.chunk == ChunkPace.most)
    }

    /// As many bytes as took four seconds; four times as many as before at most, a quarter after a failure.
    @Test(
        arguments: [
            (4000, 65_536, 16_384), (2000, 131_072, 32_768), (1000, 262_144, 65_536), (999, 262_144, 65_536),
            (8000, 32_768, 16_384), (16_000, 16_384, 16_384), (20_000, 16_384, 16_384),
        ] as [(Int64, Int64, Int64)])
    func theNextPieceIsByTheTimeOfTheLast(milliseconds: Int64, next: Int64, afterFailure: Int64) {
        var pace = ChunkPace()
        pace.recordTransfer(of: 65_536, in: .milliseconds(milliseconds))
        #expect(pace.chunk == next)
        pace.recordFailure()
        #expect(pace.chunk == afterFailure)
    }

    @Test func aFailureMakesPiecesSmallerButNeverNone() {
        var pace = ChunkPace()
        for _ in 0..<20 { pace.recordFailure() }
        #expect(pace.chunk == ChunkPace.least)
        pace.recordTransfer(of: 1, in: .zero)
        pace.recordTransfer(of: .max, in: .zero)
        #expect((ChunkPace.least...ChunkPace.most).contains(pace.chunk))
    }
}
