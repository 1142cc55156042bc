// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

/// RFC 4648 §10's vectors of base 16; §8 allows both cases to a reader.
@Suite struct HexadecimalTests {
    @Test(arguments: [
        ("", ""), ("f", "66"), ("fo", "666f"), ("foo", "666f6f"), ("foob", "666f6f62"), ("fooba", "666f6f6261"),
        ("foobar", "666f6f626172"),
    ]) func vectors(_ text: String, _ digits: String) {
        #expect(text.utf8.hexadecimal == digits)
        #expect([UInt8](hexadecimal: digits) == Array(text.utf8))
        #expect([UInt8](hexadecimal: digits.uppercased()) == Array(text.utf8))
    }

    @Test func addressesAreWrittenAsDatasheetsDo() {
        #expect([0, 0x0F, 0x68, 0xFF].map { hexadecimal($0) } == ["0x00", "0x0F", "0x68", "0xFF"])
    }
}
