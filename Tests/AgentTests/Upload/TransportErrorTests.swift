// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Agent

struct TransportErrorTests {
    @Test(arguments: TransportError.Kind.allCases)
    func everyErrorNamesTheAddressAndARemedy(kind: TransportError.Kind) {
        let error = TransportError(kind: kind, url: "http://x/", message: "it broke")
        let explained = error.explanation
        #expect(explained.place == "http://x/" && explained.cause == "it broke" && explained.remedy?.isEmpty == false)
        #expect(error.description == "http://x/: it broke; " + (explained.remedy ?? ""))
    }

    @Test(arguments: [.closed, .timeout, .other] as [TransportError.Kind])
    func aCommandThatHasEndedIsNotSaidToTryAgain(kind: TransportError.Kind) {
        let remedy = TransportError(kind: kind, url: "http://x/", message: "it broke").explanation.remedy
        #expect(remedy?.contains("give a command again") == true)
    }
}
