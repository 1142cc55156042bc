// SPDX-License-Identifier: Apache-2.0
import Study
import Testing

@testable import PlatformESMira

/// What is chosen when enrolling. The key is that of the app's codes (`QrInterpreter.kt`, ESMira-apps f750e58).
@Suite struct ESMiraOptionsTests {
    private static func choices(_ option: String, _ value: String) throws -> StudyOptions {
        var arguments = PlatformArguments()
        arguments.add(option, value)
        return try ESMiraOptions.choices(arguments)
    }

    @Test func withoutArgumentsNothingIsChosen() throws {
        let options = try ESMiraOptions.choices(PlatformArguments())
        #expect(options.accessKey == nil && options.askedLanguage == nil)
    }

    @Test(arguments: [("a1", "a1"), ("Mood", "mood"), ("x2Y", "x2y")])
    func aKeyIsALetterWithLettersAndDigitsBehindIt(_ given: String, _ kept: String) throws {
        #expect(try Self.choices("access-key", given).accessKey == kept)
    }

    @Test(arguments: ["", "a", "1a", "a-b", "a b", "\u{E9}t\u{E9}", "a\u{663}"])
    func whatIsNoKeyIsRefused(_ given: String) {
        #expect(throws: PlatformArgumentError.self) { try Self.choices("access-key", given) }
    }

    @Test(arguments: [("de", "de"), ("DE", "de"), ("fil", "fil")])
    func aLanguageHasTwoOrThreeLetters(_ given: String, _ kept: String) throws {
        #expect(try Self.choices("study-language", given).askedLanguage == kept)
    }

    @Test(arguments: ["", "d", "deut", "d1", "d-", "d\u{E9}"])
    func whatIsNoLanguageIsRefused(_ given: String) {
        #expect(throws: PlatformArgumentError.self) { try Self.choices("study-language", given) }
    }
}
