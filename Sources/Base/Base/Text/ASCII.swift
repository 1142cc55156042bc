// SPDX-License-Identifier: Apache-2.0

/// ASCII's letters and digits among the bytes of a text; no byte of another character in UTF-8 is one.
extension UInt8 {
    package var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    package var isASCIILetter: Bool { (self | 0x20).isSmallASCIILetter }

    package var isSmallASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
}
