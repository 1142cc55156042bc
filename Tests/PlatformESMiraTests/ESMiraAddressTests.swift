// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import PlatformESMira

/// The lines are those of the app's own test (`QrInterpreterTest.kt`, ESMira-apps f750e58);
/// `esmira:` is https there too.
@Suite struct ESMiraAddressTests {
    struct Line: Sendable {
        let text: String
        let server: String
        var key = ""
        var study: Int?
        var questionnaire: Int?
    }

    static let lines = [
        Line(text: "jodli.dev/test1", server: "https://jodli.dev/", key: "test1"),
        Line(text: "esmira://jodli.dev/test1", server: "https://jodli.dev/", key: "test1"),
        Line(text: "https://jodli.dev/test1", server: "https://jodli.dev/", key: "test1"),
        Line(text: "https://subdomain.jodli.dev/test1", server: "https://subdomain.jodli.dev/", key: "test1"),
        Line(text: "https://jodli.dev/subfolder/test1", server: "https://jodli.dev/subfolder/", key: "test1"),
        Line(
            text: "https://大智若愚.i❤.ws/sub-földer/test1", server: "https://大智若愚.i❤.ws/sub-földer/", key: "test1"),
        Line(text: "jodli.dev/123", server: "https://jodli.dev/", study: 123),
        Line(text: "jodli.dev/123-test1", server: "https://jodli.dev/", key: "test1", study: 123),
        Line(text: "jodli.dev/app-test1", server: "https://jodli.dev/", key: "test1"),
        Line(text: "jodli.dev/app-123", server: "https://jodli.dev/", study: 123),
        Line(text: "jodli.dev/app-123-test1", server: "https://jodli.dev/", key: "test1", study: 123),
        Line(text: "jodli.dev/survey-12345", server: "https://jodli.dev/", questionnaire: 12345),
        Line(text: "jodli.dev/survey-12345-test1", server: "https://jodli.dev/", key: "test1", questionnaire: 12345),
    ]

    /// LinkParser of the app: only `survey-` makes a number that of a questionnaire, and not its length.
    @Test(arguments: [
        Line(text: "jodli.dev/12345678", server: "https://jodli.dev/", study: 12_345_678),
        Line(text: "jodli.dev/app-12345678-test1", server: "https://jodli.dev/", key: "test1", study: 12_345_678),
        Line(text: "jodli.dev/survey-1", server: "https://jodli.dev/", questionnaire: 1),
    ]) func aLongNumberIsAStudys(line: Line) throws { try everyLineOfTheAppsTestIsRead(line: line) }

    @Test(arguments: lines) func everyLineOfTheAppsTestIsRead(line: Line) throws {
        let address = try #require(ESMiraAddress(line.text))
        #expect(address.server == line.server)
        #expect(address.accessKey == line.key)
        #expect(address.study == line.study)
        #expect(address.questionnaire == line.questionnaire)
    }

    @Test func theFallbackIsBase64() throws {
        let address = try #require(ESMiraAddress("https://jodli.dev/key1?fallback=aHR0cHM6Ly9iLmV4YW1wbGUv"))
        #expect(address.accessKey == "key1")
        #expect(address.fallback == "https://b.example/")
        // One and two bytes more than a multiple of three, filled up and not.
        for (fallback, server) in [
            ("aHR0cHM6Ly9iLmV4YW1wbGUvYQ", "https://b.example/a"),
            ("aHR0cHM6Ly9iLmV4YW1wbGUvYQ==", "https://b.example/a"),
            ("aHR0cHM6Ly9iLmV4YW1wbGUvYWI", "https://b.example/ab"),
            ("aHR0cHM6Ly9iLmV4YW1wbGUvYWI=", "https://b.example/ab"),
        ] {
            let address = try #require(ESMiraAddress("https://a.example/1-key?fallback=" + fallback))
            #expect(address.fallback == server)
        }
    }

    @Test(arguments: [
        ("https://a.example/", true), ("https://a.example/mood", true), ("https://a.example/app-mood", false),
        ("https://a.example/7", false), ("https://a.example/survey-7", false), ("esmira://a.example/mood", false),
        ("https://a.example/mood?fallback=aHR0cHM6Ly9iLmV4YW1wbGUv", false),
    ])
    func whatNamesAServerAloneIsPlain(text: String, isPlain: Bool) throws {
        #expect(try #require(ESMiraAddress(text)).isPlain == isPlain)
    }

    @Test(arguments: [
        "", "study.json", "/home/a/study", "https://a.example/study.json", "a/x", "a.example/\u{663}",
        "a.example/1\u{663}", "a.example/survey-\u{663}-key",
    ])
    func whatIsNoAddressIsNotTakenForOne(text: String) {
        #expect(ESMiraAddress(text) == nil)
    }
}
