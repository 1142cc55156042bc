// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Agent

@Suite struct S3PlaceTests {
    @Test func aPlaceIsKeptWithBlanksInItsKey() {
        let place = S3Place(key: "lab/s 1/a  b", upload: "2~x/+=", part: 5 << 20)
        #expect(S3Place(place.text) == place && !place.isSent)
        let sent = S3Place.sent("lab/s 1/a  b")
        #expect(S3Place(sent.text) == sent && sent.isSent && sent.key == place.key)
    }

    @Test(arguments: ["", "x", "5", "a b c", "http://example.org/files/1"]) func whatIsNoneIsFoundOut(_ text: String) {
        #expect(S3Place(text) == nil)
    }
}
