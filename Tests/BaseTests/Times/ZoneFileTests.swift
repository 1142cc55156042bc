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
        zoneFile(times: [200, 100], offsets: [0, 60, 0]), zoneFile(times: [100], offsets: [0]),
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

    /// A block of version 1 with transitions at 100, 200 and so on to those types; its abbreviations are `AB` and `C`.
    private static func block(
        _ types: [(offset: Int32, isDaylight: UInt8, name: UInt8)], to indices: [UInt8] = [],
        marks: (Int32, Int32) = (0, 0)
    ) -> [UInt8] {
        var bytes = Array("TZif".utf8) + [UInt8](repeating: 0, count: 16)
        for count in [marks.0, marks.1, 0, Int32(indices.count), Int32(types.count), 5] { bytes += bigEndian(count) }
        for place in indices.indices { bytes += bigEndian(Int32(100 * (place + 1))) }
        bytes += indices
        for type in types { bytes += bigEndian(type.offset) + [type.isDaylight, type.name] }
        return bytes + Array("AB\0C\0".utf8) + [UInt8](repeating: 1, count: Int(marks.0 + marks.1))
    }

    /// RFC 8536 §3.2: an offset is less than 26 hours, and a designation begins within the characters and ends with a
    /// zero.
    @Test(
        arguments: [
            (93_599, 0, 0, "AB"), (-93_599, 1, 0, "AB"), (93_600, 0, 0, nil), (-93_600, 0, 0, nil), (1, 1, 1, "B"),
            (1, 0, 2, ""), (1, 0, 3, "C"), (1, 0, 4, ""), (1, 0, 5, nil), (1, 0, 255, nil),
        ] as [(Int32, UInt8, UInt8, String?)])
    func aLocalTimeTypeHasItsLimits(offset: Int32, isDaylight: UInt8, name: UInt8, abbreviation: String?) {
        let zone = try? Zone(identifier: "X", file: Self.block([(offset, isDaylight, name)]))
        #expect((zone != nil) == (abbreviation != nil))
        let expected = abbreviation.map {
            Zone.Period(offset: Int(offset), isDaylight: isDaylight != 0, abbreviation: $0)
        }
        #expect(zone?.period(at: .epoch) == expected)
    }

    /// The first type holds before all transitions, whichever they lead to.
    @Test(
        arguments: [([0], true), ([1], true), ([2], false), ([1, 0, 1], true), ([1, 0, 2], false), ([], true)]
            as [([UInt8], Bool)])
    func aTransitionLeadsToATypeThatIsThere(indices: [UInt8], isRead: Bool) {
        let zone = try? Zone(identifier: "X", file: Self.block([(10, 0, 0), (20, 1, 3)], to: indices))
        #expect((zone != nil) == isRead)
        guard let zone else { return }
        #expect(zone.period(at: Instant(seconds: 99)).offset == 10)
        for (place, index) in indices.enumerated() {
            for second in [100, 199] {
                let time = Instant(seconds: Int64(100 * place + second))
                #expect(zone.period(at: time).offset == [10, 20][Int(index)])
            }
        }
    }

    @Test func withoutATypeOrItsMarksItIsRefused() throws {
        #expect(throws: ZoneFileError.self) { try Zone(identifier: "X", file: Self.block([])) }
        for marks in [(1, 0), (0, 1), (1, 1)] as [(Int32, Int32)] {
            let whole = Self.block([(10, 0, 0)], marks: marks)
            #expect(try Zone(identifier: "X", file: whole).period(at: .epoch).offset == 10)
            #expect(throws: ZoneFileError.self) { try Zone(identifier: "X", file: Array(whole.dropLast())) }
        }
    }

    @Test func transitionsRiseAndAFooterStandsBetweenNewlines() {
        for (times, isRead) in [([100, 101], true), ([100, 100], false), ([-1, 0], true), ([0, -1], false)]
            as [([Int64], Bool)]
        {
            #expect(((try? Zone(identifier: "X", file: zoneFile(times: times, offsets: [0, 1, 2]))) != nil) == isRead)
        }
        let whole = zoneFile(times: [], offsets: [0], footer: "UTC0")
        #expect((try? Zone(identifier: "X", file: whole)) != nil && whole.suffix(6).first == 0x0A)
        for place in [whole.count - 1, whole.count - 6] {
            var bytes = whole
            bytes[place] = 0x20
            #expect(throws: ZoneFileError.self) { try Zone(identifier: "X", file: bytes) }
        }
    }

    /// Each of the six counts of a header: 65 536 are looked for, and what is no such number is named.
    @Test(
        arguments: [(65_536, "short"), (65_537, "counts 65537 entries"), (-1, "counts -1 entries")] as [(Int32, String)]
    )
    func aCountHasItsLimits(number: Int32, words: String) {
        // Leap seconds are refused before they are looked for.
        for place in 0..<6 where place != 2 || number != 65_536 {
            var bytes = Self.block([(10, 0, 0)])
            bytes.replaceSubrange((20 + 4 * place)..<(24 + 4 * place), with: bigEndian(number))
            #expect("count \(place)") { try Zone(identifier: "X", file: bytes) } throws: { "\($0)".contains(words) }
        }
    }
}
