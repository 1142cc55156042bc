// SPDX-License-Identifier: Apache-2.0
import SystemKit
import Testing

@Suite struct Base64Tests {
    // RFC 4648 §10.
    @Test(arguments: [
        ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
        ("Zm9vYmFy", "foobar"),
    ]) func theVectorsOfTheStandardAreReadAndWritten(text: String, expected: String) {
        #expect(Base64.decoded(text) == Array(expected.utf8))
        #expect(Base64.encoded(Array(expected.utf8)) == text)
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zh==", "Zm9=", "Z===", "====", "Zm 9", "Zm9v\n", "Zg==Zg==", "Zm9v=", "Zg==\0", "_w==",
        "-w==", "\u{FF3A}g==",
    ])
    func everythingElseIsNone(text: String) {
        #expect(Base64.decoded(text) == nil)
    }
}
