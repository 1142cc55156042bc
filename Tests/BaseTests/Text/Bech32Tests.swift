// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base

/// The strings of BIP 173 that hold whole bytes, and those that it calls invalid.
@Suite struct Bech32Tests {
    @Test(arguments: [
        ("A12UEL5L", "a", ""), ("a12uel5l", "a", ""),
        (
            "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw", "abcdef", "00443214c74254b635cf84653a56d7c675be77df"
        ),
        (
            "split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w", "split",
            "c5f38b70305f519bf66d85fb6cf03058f3dde463ecd7918f2dc743918f2d"
        ),
        ("?1ezyfcl", "?", ""),
    ])
    func publishedStringsAreRead(text: String, name: String, bytes: String) throws {
        let found = try #require(Bech32.decoded(text))
        #expect(found.name == name)
        #expect(found.bytes.hexadecimal == bytes)
        #expect(Bech32.encoded(found.bytes, name: name) == text.lowercased())
    }

    /// A name is of the bytes 33 to 126. The checksums are those of BIP 173's own code in Python.
    @Test(arguments: [("!", "!1wctc0x"), ("~", "~1qszm75"), ("1", "11merq64")])
    func aNameIsOfPrintableLetters(name: String, text: String) {
        #expect(Bech32.encoded([], name: name) == text && Bech32.decoded(text)?.name == name)
    }

    /// 635 bytes with a name of one letter are 1024 characters.
    @Test(arguments: [(635, true), (636, false)]) func aTextHasALongestLength(count: Int, isRead: Bool) {
        let bytes = [UInt8](repeating: 7, count: count)
        #expect((Bech32.decoded(Bech32.encoded(bytes, name: "x"))?.bytes == bytes) == isRead)
    }

    @Test(arguments: [
        "\u{20}1nwldj5", "\u{7F}1axkwrx", "pzry9x0s0muk", "1pzry9x0s0muk", "x1b4n0q5v", "li1dgmt3", "A1G7SGD8",
        "10a06t8",
        "1qzzfhee", "a12UEL5L", "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxx", "",
        // The sign of the kelvin, which is a k in small letters (UnicodeData.txt, 212A).
        "ABCDEF1QPZRY9X8GF2TVDW0S3JN54\u{212A}HCE6MUA7LMQQQXW",
    ])
    func whatThePublicationCallsInvalidIsRefused(text: String) { #expect(Bech32.decoded(text) == nil) }

    /// Five bits can hold no byte, and bits behind the last byte have to be zero.
    @Test(arguments: 0..<8)
    func everyLengthReturns(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: 255 - $0 * 37) }
        let text = Bech32.encoded(bytes, name: "x")
        #expect(try #require(Bech32.decoded(text)).bytes == bytes)
        #expect(Bech32.decoded(text.uppercased())?.bytes == bytes)
    }
}
