// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base

/// A TZif file of version 2 with a type per period, as RFC 8536 lays it out; its
/// first block is empty.
func zoneFile(times: [Int64], offsets: [Int32], footer: String = "", leaps: Int = 0) -> [UInt8] {
    var bytes = header([0, 0, 0, 0, 1, 1]) + [UInt8](repeating: 0, count: 7)
    bytes += header([0, 0, leaps, times.count, offsets.count, 4])
    for time in times { bytes += bigEndian(time) }
    bytes += times.indices.map { UInt8($0 + 1) }
    for offset in offsets { bytes += bigEndian(offset) + [0, 0] }
    bytes += Array("LOC\0".utf8) + [UInt8](repeating: 0, count: leaps * 12)
    return bytes + Array("\n\(footer)\n".utf8)
}

/// RFC 8536 §3.1: UTC marks, standard marks, leap seconds, times, types, characters.
private func header(_ counts: [Int]) -> [UInt8] {
    Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15) + counts.flatMap { bigEndian(Int32($0)) }
}

private func bigEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
}

@Suite struct ZoneFileTests {
    @Test func firstPeriodHoldsBeforeTheFirstTransition() throws {
        let zone = try Zone(identifier: "X", file: zoneFile(times: [100], offsets: [-60, 60]))
        #expect(zone.period(at: Instant(seconds: 99)).offset == -60)
        #expect(zone.period(at: Instant(seconds: 100)).offset == 60)
        #expect(zone.period(at: Instant(seconds: 100)).abbreviation == "LOC")
    }

    @Test func footerHoldsAfterTheLastTransition() throws {
        let zone = try Zone(identifier: "X", file: zoneFile(times: [100], offsets: [0, 60], footer: "<+05>-5"))
        #expect(zone.period(at: Instant(seconds: 99)).offset == 0)
        #expect(zone.period(at: Instant(seconds: 101)).offset == 18_000)
    }

    /// Version 1: one block with 32-bit times and no footer. +1 h from second -100 on,
    /// +2 h from 100 on.
    @Test func filesOfTheFirstVersionAreRead() throws {
        var bytes = Array("TZif".utf8) + [UInt8](repeating: 0, count: 16)
        for count: Int32 in [0, 0, 0, 2, 2, 8] { bytes += bigEndian(count) }
        bytes += bigEndian(Int32(-100)) + bigEndian(Int32(100)) + [0, 1]
        bytes += bigEndian(Int32(3600)) + [0, 0] + bigEndian(Int32(7200)) + [1, 4] + Array("CET\0DST\0".utf8)
        let zone = try Zone(identifier: "X", file: bytes)
        #expect(zone.period(at: Instant(seconds: 99)) == .init(offset: 3600, isDaylight: false, abbreviation: "CET"))
        #expect(zone.period(at: Instant(seconds: 100)) == .init(offset: 7200, isDaylight: true, abbreviation: "DST"))
    }

    /// RFC 8536 §3.1 and §3.2: what old readers need is as long as its counts say: 5 bytes for each time, 6 for a type,
    /// 8 for a leap second; behind the types come the marks.
    @Test(arguments: [(0, 0, 0, 0), (2, 0, 0, 0), (0, 2, 0, 0), (0, 0, 1, 0), (0, 0, 0, 3), (2, 2, 5, 3)])
    func whatIsOfNoUseIsSkipped(utc: Int, standard: Int, leaps: Int, times: Int) throws {
        let marks = [UInt8](repeating: 1, count: utc + standard)
        var bytes = header([utc, standard, leaps, times, 2, 8])
        bytes += [UInt8](repeating: 7, count: times * 5 + 12 + 8 + leaps * 8) + marks
        bytes += header([utc, standard, 0, 1, 2, 8]) + bigEndian(Int64(100)) + [1]
        bytes += bigEndian(Int32(3600)) + [0, 0] + bigEndian(Int32(7200)) + [1, 4] + Array("CET\0DST\0".utf8) + marks
        let zone = try Zone(identifier: "X", file: bytes + Array("\n\n".utf8))
        #expect(zone.period(at: Instant(seconds: 99)) == .init(offset: 3600, isDaylight: false, abbreviation: "CET"))
        #expect(zone.period(at: Instant(seconds: 100)) == .init(offset: 7200, isDaylight: true, abbreviation: "DST"))
    }

    /// Byte 103 is the type from second 100 on, of two; byte 115 where its name begins in the four bytes `LOC` and 0.
    @Test(
        arguments: [
            (103, 0, "LOC"), (103, 1, "LOC"), (103, 2, nil), (115, 0, "LOC"), (115, 2, "C"), (115, 3, ""),
            (115, 4, nil),
        ] as [(Int, UInt8, String?)])
    func aTypeAndItsNameAreAmongThoseThatThereAre(place: Int, byte: UInt8, name: String?) {
        var bytes = zoneFile(times: [100], offsets: [0, 60])
        bytes[place] = byte
        let zone = try? Zone(identifier: "X", file: bytes)
        #expect(zone?.period(at: Instant(seconds: 100)).abbreviation == name)
    }

    /// §3.2: less than 26 hours.
    @Test(arguments: [(93_599, true), (93_600, false), (-89_999, true), (-93_600, false)] as [(Int32, Bool)])
    func anOffsetHasItsLimits(offset: Int32, isPossible: Bool) {
        let zone = try? Zone(identifier: "X", file: zoneFile(times: [], offsets: [offset]))
        #expect(zone?.period(at: .epoch).offset == (isPossible ? Int(offset) : nil))
    }

    @Test(arguments: [(65_536, false), (65_537, true), (-1, true), (0, false)] as [(Int, Bool)])
    func aCountThatNoFileHasIsSaid(count: Int, isSaid: Bool) {
        let error = #expect(throws: ZoneFileError.self) {
            try Zone(identifier: "X", file: header([0, 0, 0, 0, 0, count]))
        }
        #expect((error?.description == "the time zone file counts \(count) entries") == isSaid)
    }

    @Test func everyTruncationIsRefused() {
        let whole = zoneFile(times: [100, 200], offsets: [0, 60, 0], footer: "CET-1CEST,M3.5.0,M10.5.0/3")
        for length in 0..<whole.count {
            #expect(throws: ZoneFileError.self) { try Zone(identifier: "X", file: Array(whole.prefix(length))) }
        }
    }

    @Test func changedBytesNeverTrap() {
        var chance = Chance(state: 1)
        let whole = zoneFile(times: [100, 200], offsets: [0, 60, 0], footer: "CET-1CEST,M3.5.0,M10.5.0/3")
        for _ in 0..<5000 {
            var bytes = whole
            for _ in 0..<3 {
                bytes[Int(chance.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: chance.next())
            }
            guard let zone = try? Zone(identifier: "X", file: bytes) else { continue }
            _ = zone.resolve(zone.local(Instant(seconds: 150)))
        }
    }

    @Test(arguments: [
        zoneFile(times: [200, 100], offsets: [0, 60, 0]), zoneFile(times: [100, 100], offsets: [0, 60, 0]),
        zoneFile(times: [100], offsets: [0]),
        zoneFile(times: [], offsets: [200_000]), zoneFile(times: [], offsets: [0], footer: "CET"),
        zoneFile(times: [], offsets: [0], leaps: 1), Array("#!/bin/sh, which is no zone at all, of course".utf8),
    ])
    func nonsenseIsRefused(bytes: [UInt8]) {
        #expect(throws: ZoneFileError.self) { try Zone(identifier: "X", file: bytes) }
    }

    /// Marsaglia's xorshift, since the project's generator lies in another target.
    private struct Chance {
        var state: UInt64
        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }
}
