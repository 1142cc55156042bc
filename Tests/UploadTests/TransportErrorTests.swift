// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Upload

struct TransportErrorTests {
    @Test(arguments: TransportError.Kind.allCases)
    func everyErrorNamesTheAddressAndARemedy(kind: TransportError.Kind) {
        let text = TransportError(kind: kind, url: "http://x/", message: "it broke").description
        #expect(text.hasPrefix("http://x/: it broke: "))
        #expect(text.count > 30)
    }
}
