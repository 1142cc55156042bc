// SPDX-License-Identifier: Apache-2.0
import Study
import Testing

/// Values as swift-argument-parser takes them (1.8, `SingleValueParsingStrategy.next`): behind a
/// sign or as the next word, unless that begins with a dash.
@Suite struct PlatformCommandLineTests {
    static let line = PlatformCommandLine([
        PlatformOption("token", value: "token", .enrolling, help: ""),
        PlatformOption("logs", value: nil, .enrolling, help: ""),
    ])

    @Test(arguments: [
        (["enroll", "s.json", "--seed", "3"], ["enroll", "s.json", "--seed", "3"]),
        (["enroll", "--token", "ABC", "s.json"], ["enroll", "--platform-option", "token=ABC", "s.json"]),
        (["enroll", "--token=A=B", "s"], ["enroll", "--platform-option", "token=A=B", "s"]),
        (["enroll", "--logs", "s"], ["enroll", "--platform-option", "logs", "s"]),
        (
            ["enroll", "--token", "A", "--token", "B"],
            ["enroll", "--platform-option", "token=A", "--platform-option", "token=B"]
        ),
        (["enroll", "--", "--token", "A"], ["enroll", "--", "--token", "A"]),
        (["enroll", "--tokens", "A"], ["enroll", "--tokens", "A"]), ([], []),
    ])
    func optionsOfPlatformsAreCarriedAndAllElseStays(_ words: [String], _ expected: [String]) throws {
        #expect(try Self.line.carried(words) == expected)
    }

    @Test(arguments: [["enroll", "--token"], ["enroll", "--token", "--logs"], ["enroll", "--logs=yes"]])
    func aValueThatIsMissingOrTooMuchIsRefused(_ words: [String]) {
        #expect(throws: PlatformArgumentError.self) { try Self.line.carried(words) }
    }

    @Test func whatWasCarriedArrives() {
        let arguments = PlatformCommandLine.arguments(["token=A=B", "logs", "token=C"])
        #expect(arguments["token"] == "C" && arguments.all("token") == ["A=B", "C"])
        #expect(arguments.has("logs") && arguments["logs"] == "" && !arguments.has("seed"))
        let odd = PlatformCommandLine.arguments(["token=", "=x", ""])
        #expect(odd.all("token") == [""] && odd.all("") == ["x", ""])
    }
}
