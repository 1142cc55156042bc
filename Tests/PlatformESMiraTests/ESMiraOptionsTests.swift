// SPDX-License-Identifier: Apache-2.0
import Study
import Testing

@testable import PlatformESMira

/// What is chosen when enrolling. The app lets any key be typed (`AccessKeyQuestionView.kt`, ESMira-apps f750e58);
/// the server has those of `^([a-zA-Z][a-zA-Z0-9]*)$` (`SaveStudy.php:236`, ESMira-web 0750ca3).
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

    @Test(arguments: [("a1", "a1"), ("a", "a"), ("Z", "z"), ("Mood", "mood"), ("x2Y", "x2y")])
    func aKeyIsALetterWithLettersAndDigitsBehindIt(_ given: String, _ kept: String) throws {
        #expect(try Self.choices("access-key", given).accessKey == kept)
    }

    @Test(arguments: ["", "1", "1a", "a-b", "a b", "\u{E9}t\u{E9}", "a\u{663}"])
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
