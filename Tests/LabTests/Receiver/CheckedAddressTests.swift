// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent
@testable import Lab

/// What `studyd check` finds at a receiver.
@Suite(.timeLimit(.minutes(10))) struct CheckedAddressTests {
    @Test(arguments: [("/files", true), ("", false), ("/", false), ("/api/fleet", false), ("/nothing", false)])
    func onlyTheAddressThatTakesFilesPasses(path: String, isGood: Bool) async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let found = try await onThread { () -> String in
                    var destination = TusDestination(name: TusDestination.labName, endpoint: url + path)
                    destination.patience = .seconds(60)
                    do {
                        return try destination.inspect(by: HTTPClient(userAgent: "t"), at: .epoch) ?? ""
                    } catch { return "\(error)" }
                }
                #expect((found == "takes files by tus 1.0.0") == isGood, "\(found)")
                for words in ["\(url + path) does not take files", "[upload] recordings", "ends in /files"] {
                    #expect(found.contains(words) != isGood, "\(found)")
                }
            }
        }
    }
}
