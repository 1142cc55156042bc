// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Agent

@Suite struct ReportSettingsTests {
    private func configuration(_ table: String) throws -> AgentConfiguration {
        try AgentConfiguration(parsing: "board = \"b.toml\"\n\(table)", file: "studyd.toml")
    }

    @Test func withoutATableNothingIsReported() throws { #expect(try configuration("").report == nil) }

    @Test func theAddressIsTheTables() throws {
        #expect(
            try configuration("[report]\nurl = \"https://lab.example:8443\"").report?.url == "https://lab.example:8443")
    }

    /// Each with the line that is wrong.
    @Test(arguments: [
        ("[report]", "report.url"), ("[report]\nurl = \"lab.example\"", "studyd.toml:3"),
        ("[report]\nurl = \"https://lab.example\"\nevery = 3", "studyd.toml:4"),
        ("[report]\nurl = \"https://lab.example\"\nkey_file = \"k\"", "certificate_file"),
        ("[report]\nurl = \"https://lab.example\"\ntimeout_seconds = 9", "studyd.toml:4"),
    ])
    func whatIsWrongIsRefusedByItsPlace(table: String, place: String) {
        let error = #expect(throws: ConfigError.self) { try configuration(table) }
        #expect(error?.description.contains(place) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [("", 3600), ("every = '1m'", 60), ("every = '90m'", 5400), ("every = '24h'", 86_400)])
    func itReportsEveryMinuteToEveryDayAndOnceAnHourUnlessItSaysOtherwise(key: String, seconds: Int64) throws {
        #expect(try configuration("[report]\nurl = \"https://lab.example\"\n\(key)").reportEvery == .seconds(seconds))
    }

    @Test(arguments: ["0s", "59s", "25h", "an hour"]) func everyOtherIntervalIsRefused(every: String) {
        let error = #expect(throws: ConfigError.self) {
            try configuration("[report]\nurl = \"https://lab.example\"\nevery = '\(every)'")
        }
        #expect(error?.description.contains("from 1m to 24h") == true, "\(error?.description ?? "")")
    }

    /// printf 'board = "b.toml"\n' | sha256sum
    @Test func theDigestIsThatOfTheFile() throws {
        #expect(try configuration("").digest == "b4cd9a584372c8dfcfab3c45b14b62e16a5101d7369ef5bbfadaa2592d08ac77")
    }

    /// Files of the lab's receiver and reports go to one server, which alone hears the key.
    @Test(
        arguments: [
            ("[upload]\nrecordings = \"http://lab.example/files\"\n", ["recordings"]),
            (
                "[[destination]]\nkind = \"tus\"\nname = \"far\"\ntakes = \"both\"\nurl = \"https://far.example/files\"\n",
                []
            ),
            (
                "[[destination]]\nkind = \"tus\"\nname = \"near\"\ntakes = \"both\"\nurl = \"https://lab.example/files\"\n",
                ["near"]
            ),
        ] as [(String, Set<String>)])
    func theLabsDestinationsAreThoseOfItsServer(tables: String, names: Set<String>) throws {
        let destinations = try configuration(tables).destinations
        #expect(LabRoutes(destinations, lab: "https://lab.example:443").lab == names)
    }

    /// A folder has no address, and so none that is the lab's, whether or not there is a receiver; the
    /// lab's own address for recordings needs none beside it.
    @Test(arguments: [nil, "https://lab.example", "no address"]) func aFolderIsNotTheLabs(lab: String?) throws {
        let stick =
            "[[destination]]\nkind = \"directory\"\nname = \"stick\"\ntakes = \"both\"\npath = \"/media/stick\"\n"
        let destinations = try configuration("[upload]\nrecordings = \"http://lab.example/files\"\n" + stick)
            .destinations
        #expect(destinations.map(\.destination.name) == ["recordings", "stick"])
        #expect(LabRoutes(destinations, lab: lab).lab == ["recordings"])
    }
}
