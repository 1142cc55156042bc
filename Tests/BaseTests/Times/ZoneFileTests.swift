// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base

/// A TZif file of version 2 with a type per period, as RFC 8536 lays it out; its
/// first block is empty.
func zoneFile(times: [Int64], offsets: [Int32], footer: String = "", leaps: Int = 0) -> [UInt8] {
    func header(_ counts: [Int]) -> [UInt8] {
        var bytes = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
        for count in counts { bytes += bigEndian(Int32(count)) }
        return bytes
    }
    var bytes = header([0, 0, 0, 0, 1, 1]) + [UInt8](repeating: 0, count: 7)
    bytes += header([0, 0, leaps, times.count, offsets.count, 4])
    for time in times { bytes += bigEndian(time) }
    bytes += times.indices.map { UInt8($0 + 1) }
    for offset in offsets { bytes += bigEndian(offset) + [0, 0] }
    bytes += Array("LOC\0".utf8) + [UInt8](repeating: 0, count: leaps * 12)
    return bytes + Array("\n\(footer)\n".utf8)
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
}
