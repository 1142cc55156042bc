// SPDX-License-Identifier: Apache-2.0
import Study
import Testing

@testable import Agent
@testable import PlatformMyStudies

@Suite struct MyStudiesSettingsTests {
    static func settings(_ lines: String) throws -> MyStudiesSettings {
        let text =
            "board = \"board.toml\"\nstate = \"/tmp/x\"\n[mystudies]\nresponse = \"https://r.example.org/x\"\n" + lines
        return try #require(
            (AgentConfiguration(parsing: text, file: "studyd.toml").platforms[.mystudies] as? MyStudiesPlatform)?
                .settings)
    }

    @Test func whatIsNotSaidIsAsTheIOSAppHasIt() throws {
        let settings = try Self.settings("")
        #expect(
            settings.options.policy == .ios && !settings.options.comparesLikeTheApp && settings.options.language == nil)
        #expect(settings.options.horizon == 1_825 && settings.poll == .seconds(3_600))
        #expect(settings.zone == "America/New_York" && settings.unanswered == .sendAgain)
        #expect(settings.registration == nil && settings.metadata == nil)
        #expect(settings.address(of: "enroll") == "https://r.example.org/x/response-enroll.api")
        #expect(settings.headers.map(\.name) == ["orgId"])
    }

    @Test func everythingThatCanBeChosenIsChosen() throws {
        let settings = try Self.settings(
            """
            controller = "mobileappstudy"
            application = "org.box"
            credential = "c"
            organisation = "O"
            language = "es"
            metadata = "https://w.example.org"
            poll_minutes = 5
            zone = "Europe/Berlin"
            policy = "android"
            compare = "app"
            horizon_days = 30
            unanswered = "hold"
            [mystudies.registration]
            url = "https://u.example.org"
            account = "p@example.org"
            credential = "d"
            """)
        #expect(settings.address(of: "enroll") == "https://r.example.org/x/mobileappstudy-enroll.api")
        #expect(settings.options.policy == .android && settings.options.comparesLikeTheApp)
        #expect(settings.options.horizon == 30 && settings.options.language == "es")
        #expect(settings.poll == .seconds(300) && settings.unanswered == .hold && settings.zone == "Europe/Berlin")
        #expect(settings.registration?.address(of: "login") == "https://u.example.org/fdahpuserregws-login.api")
        #expect(settings.headers.map(\.value) == ["O", "org.box", "es"])
    }

    @Test(arguments: [
        ("policy = \"windows\"", "ios, android"), ("compare = \"no\"", "true, app"),
        ("poll_minutes = 0", "poll_minutes"),
        ("zone = \"Mars/Base\"", "not a time zone"), ("unanswered = \"perhaps\"", "send-again, hold"),
        ("application = \"a\"", "go together"), ("controller = \"x\"", "mobileappstudy"),
        ("[mystudies.registration]\nurl = \"ftp://x\"\naccount = \"a\"\ncredential = \"c\"", "not an address"),
        ("[mystudies.registration]\nurl = \"https://x\"\ncredential = \"c\"", "account"),
        ("wrong_key = 1", "wrong_key"),
    ])
    func aWrongLineIsNamed(_ lines: String, _ word: String) {
        let error = #expect(throws: (any Error).self) { try Self.settings(lines) }
        #expect("\(error.map { "\($0)" } ?? "")".firstRange(of: word) != nil, "\(error.map { "\($0)" } ?? "")")
    }
}
