// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import studyd_tools

@Suite struct DemoCommandTests {
    private static func refusal(_ words: [String]) -> String? {
        do {
            _ = try DemoCommand.parseAsRoot(words)
            return nil
        } catch { return DemoCommand.message(for: error) }
    }

    @Test(arguments: [
        ("0s", true), ("90s", true), ("366d", true), ("367d", false), ("106751d", false), ("-5s", false),
        ("soon", false),
    ])
    func aDemoLastsUpToAYear(length: String, isTaken: Bool) {
        #expect(
            Self.refusal(["--for=\(length)"])
                == (isTaken ? nil : "--for \(length): use a duration up to 366 days, such as 90s"))
    }

    /// The receiver that a demo starts serves files.
    @Test(
        arguments: [
            (["study.json"], nil), (["https://lab/study.json", "--receiver", "https://lab"], nil),
            (["--receiver", "lab:80"], "--receiver lab:80: use an address that begins with http:// or https://"),
            (
                ["https://lab/study.json"],
                "https://lab/study.json is an address: name its server with --receiver, or give a file"
            ),
            (
                ["http://lab/study.json"],
                "http://lab/study.json is an address: name its server with --receiver, or give a file"
            ),
        ] as [([String], String?)])
    func anAddressIsOfANamedReceiver(words: [String], text: String?) { #expect(Self.refusal(words) == text) }
}
