// SPDX-License-Identifier: Apache-2.0
import SystemKit
import Testing

@testable import Agent

@Suite struct ConfigurationDraftTests {
    @Test func itIsAConfigurationThatSaysWhatItWasTold() throws {
        var draft = ConfigurationDraft(board: "/usr/share/studyd/boards/breadboard.toml")
        draft.state = "/srv/a \"quoted\" \\ folder"
        draft.zone = "Europe/Berlin"
        draft.receiver = "https://lab.example.org"
        let configuration = try AgentConfiguration(parsing: draft.text, file: "studyd.toml")
        #expect(configuration.board == draft.board)
        #expect(configuration.state == draft.state)
        #expect(configuration.zone == "Europe/Berlin")
        #expect(configuration.destinations.map { $0.destination.address } == ["https://lab.example.org/files"])
        #expect(
            configuration.measures.map(\.channel.rawValue) == ["accelerometer", "magnetometer", "sound", "position"])
        #expect(configuration.measures.allSatisfy { $0.isOptional })
        #expect(!configuration.trustsSystemClock)
    }

    @Test(arguments: ["https://lab.example.org", "https://lab.example.org/", "https://lab.example.org/files/"])
    func theReceiverGetsRecordingsAndReportsHoweverItIsWritten(_ address: String) throws {
        var draft = ConfigurationDraft(board: "board.toml")
        draft.receiver = address
        let configuration = try AgentConfiguration(parsing: draft.text, file: "studyd.toml")
        #expect(configuration.destinations.map { $0.destination.address } == ["https://lab.example.org/files"])
        #expect(configuration.report?.url == "https://lab.example.org")
    }

    @Test func whoIsToOpenTheDataIsWrittenAndRead() throws {
        var draft = ConfigurationDraft(board: "board.toml")
        #expect(try AgentConfiguration(parsing: draft.text, file: "studyd.toml").encryption == nil)
        draft.recipients = try [1, 2].map {
            try #require(AgeIdentity(secret: [UInt8](repeating: $0, count: 32))).recipient
        }
        let configuration = try AgentConfiguration(parsing: draft.text, file: "studyd.toml")
        #expect(configuration.encryption?.recipients == draft.recipients)
    }

    @Test func withoutAnAddressRecordingsStayOnTheDevice() throws {
        let text = ConfigurationDraft(board: "board.toml").text
        let configuration = try AgentConfiguration(parsing: text, file: "studyd.toml")
        #expect(configuration.destinations.isEmpty)
        #expect(!text.contains("[upload]"))
    }
}
