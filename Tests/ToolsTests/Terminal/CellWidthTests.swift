// SPDX-License-Identifier: Apache-2.0
import Terminal
import Testing

/// Unicode 14's East Asian Width (W and F are two columns) and general categories (Mn, Me and Cf
/// are none), as Python's `unicodedata` has them, at both sides of each edge.
@Suite struct CellWidthTests {
    @Test(
        arguments: [
            0x1100, 0x115F, 0x2E80, 0x303E, 0x3041, 0xA4C6, 0xA960, 0xA97C, 0xAC00, 0xD7A3, 0xF900, 0xFAD9, 0xFE30,
            0xFE6B,
            0xFF01, 0xFF60, 0xFFE0, 0xFFE6, 0x1F300, 0x1F5FF, 0x1F64F, 0x1F680, 0x1F6FC, 0x1F90C, 0x1F9FF, 0x1FA70,
            0x20000,
        ] as [UInt32])
    func wideCharactersTakeTwoColumns(value: UInt32) throws {
        #expect(CellWidth.of(Character(try #require(Unicode.Scalar(value)))) == 2)
    }

    @Test(
        arguments: [
            0x20, 0x41, 0x7E, 0xA0, 0xE9, 0x2FF, 0x370, 0x10FF, 0x303F, 0xA4D0, 0xA95F, 0xD7B0, 0xFB00, 0xFE70, 0xFF61,
            0xFFDC, 0xFFE8, 0x1F650, 0x1F700, 0x1FA00, 0x1FB00,
        ] as [UInt32])
    func otherCharactersTakeOne(value: UInt32) throws {
        #expect(CellWidth.of(Character(try #require(Unicode.Scalar(value)))) == 1)
    }

    /// Controls, marks that stand on what is before them, and what joins.
    @Test(arguments: [0x00, 0x1F, 0x7F, 0x9F, 0x300, 0x36F, 0x488, 0x20DD, 0x200D, 0xFE2F] as [UInt32])
    func whatIsNotSeenTakesNone(value: UInt32) throws {
        #expect(CellWidth.of(Character(try #require(Unicode.Scalar(value)))) == 0)
    }

    @Test func aTextTakesWhatItsCharactersTake() {
        #expect(CellWidth.of("") == 0)
        #expect(CellWidth.of("aあ") == 3 && CellWidth.of("あいう") == 6)
    }
}
