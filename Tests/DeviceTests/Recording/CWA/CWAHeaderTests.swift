// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Device

/// By openmovement's Docs/ax3/cwa.h, lowest byte first.
@Suite struct CWAHeaderTests {
    private static let plain = CWAHeader(
        hardwareType: 0x17, deviceID: 0x1234, sessionID: 7, sensorConfig: 0, rateCode: 0x4A, start: nil, annotations: []
    )

    private static func read(_ changes: [Int: UInt8]) -> CWAHeader? {
        var bytes = plain.bytes
        for (place, byte) in changes { bytes[place] = byte }
        return CWAHeader(bytes)
    }

    /// `upperDeviceId`, at 11: "if 0xffff, treat as 0x0000".
    @Test(
        arguments: [
            (0x00, 0x00, 0x0000_1234), (0xFF, 0xFF, 0x0000_1234), (0xFE, 0xFF, 0xFFFE_1234), (0xFF, 0x00, 0x00FF_1234),
            (0x00, 0xFF, 0xFF00_1234), (0x01, 0x00, 0x0001_1234),
        ] as [(UInt8, UInt8, UInt32)])
    func aDeviceWithoutAnUpperHalfOfItsNumberHasTheLower(low: UInt8, high: UInt8, number: UInt32) {
        #expect(Self.read([11: low, 12: high])?.deviceID == number)
    }

    /// `loggingStartTime`, at 13: 0 is always, and 0xFFFFFFFF is what was never written.
    @Test(arguments: [(0, nil), (0xFFFF_FFFF, nil), (1, 1), (0xFFFF_FFFE, 0xFFFF_FFFE)] as [(UInt32, UInt32?)])
    func aStartThatIsNoTimeIsNone(written: UInt32, start: UInt32?) {
        let changes = (0..<4).map { (13 + $0, UInt8(truncatingIfNeeded: written >> UInt32(8 * $0))) }
        #expect(Self.read(Dictionary(uniqueKeysWithValues: changes))?.start?.packed == start)
    }

    /// `samplingRate`, at 36: the range is 16 >> n g by the upper two bits.
    @Test(arguments: [(0x0A, 16), (0x4A, 8), (0x8A, 4), (0xCA, 2), (0xFF, 2)] as [(UInt8, Int)])
    func theRangeIsInTheUpperTwoBits(code: UInt8, range: Int) { #expect(Self.read([36: code])?.range == range) }

    @Test func itBeginsWithMDAndIsWhole() {
        let bytes = Self.plain.bytes
        #expect(bytes.count == 1024 && bytes[0...3].elementsEqual([0x4D, 0x44, 0xFC, 0x03]))
        #expect(CWAHeader(bytes) == Self.plain)
        #expect(CWAHeader(bytes + [0]) != nil && CWAHeader(Array(bytes[..<1023])) == nil && CWAHeader([]) == nil)
        #expect(Self.read([0: 0x41]) == nil && Self.read([1: 0x58]) == nil)
    }

    /// `loggingStartTime` at 13 and `lastChangeTime` at 37; between them, at 17, the end that is not known.
    @Test(arguments: [(nil, [0, 0, 0, 0]), (0x6AEB_4123, [0x23, 0x41, 0xEB, 0x6A])] as [(UInt32?, [UInt8])])
    func itsStartIsInBothPlaces(packed: UInt32?, written: [UInt8]) {
        let bytes = CWAHeader(
            hardwareType: 0x17, deviceID: 1, sessionID: 7, sensorConfig: 0, rateCode: 0x4A,
            start: packed.map { CWATimestamp(packed: $0, fraction: 0) }, annotations: []
        ).bytes
        #expect(Array(bytes[13..<17]) == written && Array(bytes[37..<41]) == written)
        #expect(bytes[17..<21].allSatisfy { $0 == 0xFF })
    }
}
