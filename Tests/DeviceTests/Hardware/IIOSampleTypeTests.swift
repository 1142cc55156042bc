// SPDX-License-Identifier: Apache-2.0
import Device
import Testing

@Suite struct IIOSampleTypeTests {
    @Test(
        arguments: [
            ("le:s16/16>>0", [0x18, 0xFC], -1000), ("be:s16/16>>0", [0xFC, 0x18], -1000),
            ("le:s12/16>>4", [0x00, 0x40], 1024), ("le:s12/16>>4", [0xF0, 0xFF], -1),
            ("le:u12/16>>4", [0xF0, 0xFF], 4095),
            ("le:s24/32>>8", [0x55, 0xFF, 0xFF, 0xFF], -1), ("be:s24/32>>8", [0x80, 0, 0, 0x55], -8_388_608),
            ("le:s8/8>>0", [0x80], -128), ("le:u8/8", [0x80], 128),
            ("le:s64/64>>0", [1, 0, 0, 0, 0, 0, 0, 0x80], Int64.min + 1),
            ("le:s10/16>>0", [0xFF, 0x7F], -1),  // what is above the bits does not count
        ] as [(String, [UInt8], Int64)])
    func valuesAreDecoded(_ text: String, _ bytes: [UInt8], _ value: Int64) throws {
        let type = try #require(IIOSampleType(text))
        ([0xAA] + bytes).withUnsafeBytes { #expect(type.value($0, at: 1) == value) }
    }

    @Test(arguments: [
        "", "le", "le:", "xe:s16/16>>0", "le:f32/32>>0", "le:s16", "le:s16/15>>0", "le:s17/16>>0", "le:s12/16>>5",
        "le:s0/16>>0",
        "le:s16/16>>-1", "le:s16/16X4>>0", "le:s16/16>>0>>0", "le:s99999999999999999999/16>>0",
    ]) func whatIsNoTypeIsRefused(_ text: String) { #expect(IIOSampleType(text) == nil) }

    /// Three channels of two bytes and a time: two bytes of padding.
    @Test func everyValueIsAtAMultipleOfItsSize() throws {
        let short = try #require(IIOSampleType("le:s16/16>>0"))
        let long = try #require(IIOSampleType("le:s64/64>>0"))
        let layout = IIOScanLayout([
            ("timestamp", 9, long), ("accel_x", 0, short), ("accel_z", 2, short), ("accel_y", 1, short),
        ])
        #expect(layout.elements.map(\.name) == ["accel_x", "accel_y", "accel_z", "timestamp"])
        #expect(layout.elements.map(\.offset) == [0, 2, 4, 8] && layout.size == 16)
        #expect(IIOScanLayout([("a", 0, short), ("b", 1, short), ("c", 2, short)]).size == 6)
    }

    /// The padding at the end: eight bytes first, then two.
    @Test func aScanIsAMultipleOfItsLargestValue() throws {
        let short = try #require(IIOSampleType("le:s16/16>>0"))
        let long = try #require(IIOSampleType("le:s64/64>>0"))
        #expect(IIOScanLayout([("timestamp", 0, long), ("accel_x", 1, short)]).size == 16)
        #expect(IIOScanLayout([]).size == 0)
    }
}
