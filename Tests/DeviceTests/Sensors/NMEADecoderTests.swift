// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Testing

private func at(_ milliseconds: Int64) -> MonotonicTime { .zero + .milliseconds(milliseconds) }

@Suite struct NMEADecoderTests {
    /// Pieces of bytes and when they were read, into fixes and the times of their first bytes
    /// in milliseconds.
    static func decode(_ pieces: [(Int64, [UInt8])], until end: Int64) -> [(fix: Fix, began: Int64)] {
        var decoder = NMEADecoder()
        var found: [(Fix, Int64)] = []
        for (time, bytes) in pieces {
            decoder.append(bytes.span, at: at(time)) { found.append(($0, ($1 - .zero).milliseconds)) }
        }
        decoder.settle(at: at(end)) { found.append(($0, ($1 - .zero).milliseconds)) }
        return found
    }

    static func epoch(_ second: Int) -> [UInt8] {
        let time = "1729\(second)"
        return NMEAEpochsTests.line("GPRMC,\(time),A,4404.1,N,12118.8,W,0.1,90.5,180315,,,A")
            + NMEAEpochsTests.line("GPGGA,\(time),4404.1,N,12118.8,W,1,12,0.9,1147.2,M,-21.3,M,,")
            + NMEAEpochsTests.line("GPGSA,A,3,01,,,,,,,,,,,,1.56,0.91,1.27")
    }

    /// At 9600 baud an epoch comes in many pieces; its time is that of the first,
    /// its end the pause.
    @Test func theFirstByteOfAnEpochGivesItsTime() {
        var pieces: [(Int64, [UInt8])] = []
        for second in 0..<3 {
            let bytes = Self.epoch(10 + second)
            for (index, start) in stride(from: 0, to: bytes.count, by: 8).enumerated() {
                let time = Int64(second * 1000 + 120 + index * 8)
                pieces.append((time, Array(bytes[start..<min(start + 8, bytes.count)])))
            }
        }
        let found = Self.decode(pieces, until: 2900)
        #expect(found.map(\.began) == [120, 1120, 2120])
        #expect(found.map(\.fix.mode) == [3, 3, 3])
        #expect(found.map { ($0.fix.time?.seconds ?? 0) % 60 } == [10, 11, 12])
    }

    /// Without pauses, all in one read and torn in the middle of a sentence: a new time of
    /// day ends the epoch.
    @Test func epochsWithoutAPauseAreToldApartByTheirTime() {
        let all = Self.epoch(10) + Self.epoch(11)
        let cut = Self.epoch(10).count + 5
        let found = Self.decode([(100, Array(all[..<cut])), (110, Array(all[cut...]))], until: 400)
        #expect(found.map(\.began) == [100], "the second is not over")
        let later = Self.decode([(100, Array(all[..<cut])), (110, Array(all[cut...]))], until: 510)
        #expect(later.map(\.began) == [100, 100], "its first bytes came with the end of the first")
    }

    /// A line that lost its bytes after "$GPRMC,1729": what follows a second later has its own time,
    /// with and without a pause before it, and read at once or byte by byte.
    @Test(arguments: [1000, 200], [1, 8, 400]) func aSentenceThatWasCutOffDatesNoLaterOne(_ start: Int64, _ size: Int) {
        let torn = Array("$GPRMC,1729".utf8)
        let bytes = Self.epoch(11)
        let pieces = stride(from: 0, to: bytes.count, by: size).map {
            (start, Array(bytes[$0..<min($0 + size, bytes.count)]))
        }
        #expect(Self.decode([(0, torn)] + pieces, until: start + 600).map(\.began) == [start])
        #expect(Self.decode([(0, torn + torn)] + pieces, until: start + 600).map(\.began) == [start])
    }

    @Test func aFixIsGivenAtLatestAfterFourTenthsOfASecond() {
        #expect(Self.decode([(100, Self.epoch(10))], until: 499).isEmpty)
        #expect(Self.decode([(100, Self.epoch(10))], until: 500).count == 1)
        #expect(Self.decode([(100, Array("$GPTXT".utf8))], until: 9000).isEmpty)
    }

    /// Receivers can be set to send one kind only.
    @Test(arguments: [
        "GPRMC,172910,A,4404.1,N,12118.8,W,0.1,90.5,180315,,,A", "GPRMC,,V,,,,,,,,,,N",
        "GPGGA,172910,4404.1,N,12118.8,W,1,12,0.9,1147.2,M,-21.3,M,,", "GPGLL,4404.1,N,12118.8,W,172910,A",
        "GNGNS,172910,4404.1,N,12118.8,W,AA,03,0.9,1147.2,-21.3,,", "GPZDA,172910,18,03,2015,00,00",
    ]) func aSentenceAloneIsAFixAfterThePause(_ body: String) {
        let line = NMEAEpochsTests.line(body)
        #expect(Self.decode([(100, line), (1100, line)], until: 1600).map(\.began) == [100, 1100])
    }

    /// What has no time of day is of the moment that follows.
    @Test(arguments: [
        "GPGSA,A,3,01,,,,,,,,,,,,1.56,0.91,1.27", "GPGSV,1,1,01,01,53,280,36", "GNVTG,10,T,,M,,N,3.6,K,A",
    ])
    func theFirstByteMayBeThatOfASentenceWithoutATime(_ body: String) {
        let pieces = [(Int64(100), NMEAEpochsTests.line(body)), (140, Self.epoch(10))]
        #expect(Self.decode(pieces, until: 600).map(\.began) == [100])
    }

    /// Noise that looks like the head of a frame of 8 kB holds nothing up beyond the next pause.
    @Test func aFrameThatAPauseBreaksIsNone() {
        let found = Self.decode(
            [(100, [0xB5, 0x62, 1, 2, 0, 0x20] + Self.epoch(10)), (1100, Self.epoch(11))], until: 1600)
        #expect(found.map(\.began) == [100, 1100])
    }

    /// Hours of silence, and the day is unknown until a sentence names it.
    @Test func afterALongSilenceTheDayIsNotGuessed() {
        let gga = NMEAEpochsTests.line("GPGGA,172911,4404.1,N,12118.8,W,1,12,0.9,1147.2,M,-21.3,M,,")
        #expect(
            Self.decode([(0, Self.epoch(10)), (1000, gga)], until: 2000).map { $0.fix.time != nil } == [true, true])
        let hours: Int64 = 7 * 3_600_000
        #expect(
            Self.decode([(0, Self.epoch(10)), (hours, gga)], until: hours + 500).map { $0.fix.time != nil } == [
                true, false,
            ])
    }
}
