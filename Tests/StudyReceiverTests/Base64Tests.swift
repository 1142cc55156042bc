// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import StudyReceiver

@Suite struct Base64Tests {
    // RFC 4648 §10.
    @Test(arguments: [
        ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
        ("Zm9vYmFy", "foobar"),
    ]) func theVectorsOfTheStandardAreDecoded(text: String, expected: String) {
        #expect(Base64.decoded(text) == Array(expected.utf8))
    }

    @Test(arguments: ["Z", "Zg", "Zg=", "Zh==", "Zm9=", "Z===", "====", "Zm 9", "Zm9v\n", "Zg==Zg=="])
    func everythingElseIsNone(text: String) {
        #expect(Base64.decoded(text) == nil)
    }
}
