// SPDX-License-Identifier: Apache-2.0
import StudyEngine
import Testing

@testable import Agent

/// The boards that are shipped, and the configuration that is.
@Suite struct MeasuringFitTests {
    static let boards = ["breadboard", "sense-hat", "simulated", "simulated-voice", "virtual", "wearable"]

    private func board(_ name: String) throws -> BoardDescription {
        let path = "\(AgentFixture.package)/boards/\(name).toml"
        return try BoardDescription(parsing: BoundedFile.text(path), file: path)
    }

    private func configuration(_ measures: String) throws -> AgentConfiguration {
        try AgentConfiguration(parsing: "board = 'b'\n" + measures, file: "studyd.toml")
    }

    @Test(arguments: boards) func theExampleConfigurationWorksOnEveryShippedBoard(_ name: String) throws {
        let text = try BoundedFile.text(AgentFixture.package + "/docs/studyd.toml")
        let configuration = try AgentConfiguration(parsing: text, file: "studyd.toml")
        let fit = MeasuringFit(configuration.measures, on: try board(name)) { _ in nil }
        #expect(fit.problems.isEmpty, "\(fit.problems)")
        #expect(!fit.uses.isEmpty)
    }

    /// Rates of the data sheets: LSM9DS1 table 46 (14.9 to 952 Hz), LSM6DSO table 41 (12.5 to 6667 Hz).
    @Test(arguments: [
        ("sense-hat", "14.9, 59.5, 119, 238, 476"), ("wearable", "12.5, 26, 52, 104, 208, 417, 833, 1667"),
    ]) func aRateThatTheBoardsChipDoesNotHaveIsNamedWithThoseItHas(_ name: String, _ rates: String) throws {
        let measures = try configuration("[[measure]]\nchannel = 'accelerometer'\nrate = 100").measures
        let fit = MeasuringFit(measures, on: try board(name))
        #expect(fit.problems.count == 1)
        let words = fit.problems.first?.description ?? ""
        #expect(words.contains("has no rate 100; possible: \(rates)") && words.contains("\(name).toml:"), "\(words)")
        let free = try configuration("[[measure]]\nchannel = 'accelerometer'").measures
        #expect(MeasuringFit(free, on: try board(name)).problems.isEmpty)
    }

    static let wrongs: [(board: String, measures: String, says: String)] = [
        ("sense-hat", "[[measure]]\nchannel = 'accelerometer'\nrange = 3", "has no range 3"),
        ("wearable", "[[measure]]\nchannel = 'gyroscope'\nrange = 1", "gyroscope range"),
        ("wearable", "[[measure]]\nchannel = 'magnetometer'", "no [[chip]] measures it"),
        ("sense-hat", "[[measure]]\nchannel = 'sound'", "no [microphone] table"),
        ("sense-hat", "[[measure]]\nchannel = 'position'", "no [position] table"),
        ("wearable", "[[measure]]\nchannel = 'sound'\nrate = 48000", "gives 16000 Hz"),
        ("wearable", "[[measure]]\nchannel = 'sound'\nrange = 2", "sound has no range"),
        ("breadboard", "[[measure]]\nchannel = 'position'\nrange = 2", "a position has no range"),
        ("breadboard", "[[measure]]\nchannel = 'buttons'\nrange = 2", "buttons have no range"),
        (
            "wearable",
            "[[measure]]\nchannel = 'accelerometer'\nrate = 104\n[[measure]]\nchannel = 'gyroscope'\nrate = 52",
            "give both the same rate"
        ),
    ]

    @Test(arguments: wrongs) func whatRunWouldRefuseIsSaidBefore(
        _ wrong: (board: String, measures: String, says: String)
    ) throws {
        let fit = MeasuringFit(try configuration(wrong.measures).measures, on: try board(wrong.board))
        let words = fit.problems.map(\.description).joined(separator: "\n")
        #expect(words.contains(wrong.says), "\(words)")
        #expect(throws: ConfigError.self) { try fit.check() }
    }

    @Test func whatIsOptionalIsLeftOutAndSaid() throws {
        let measures = try configuration("[[measure]]\nchannel = 'magnetometer'\noptional = true").measures
        let fit = MeasuringFit(measures, on: try board("wearable"))
        #expect(fit.problems.isEmpty && fit.uses.isEmpty && fit.remarks.count == 1)
    }

    /// Every kind of question; a place needs a receiver and a sound a loudspeaker, which no letters replace.
    @Test(arguments: boards) func freeTextCanBeAskedOnEveryShippedBoard(_ name: String) throws {
        let study = try LoadedStudy(
            AgentFixture.protocolText(
                days: 1, times: [(10, 0)],
                questions: AgentFixture.yesNo + "," + AgentFixture.freeText + "," + Self.others),
            origin: "study.json")
        let verdict = StudyVerdict(study.study, on: try Panel(board(name)))
        #expect(verdict.entries.count >= 8 && verdict.refusals.isEmpty, "\(verdict.refusals.map(\.text))")
    }

    /// schema's other question types that need no loudspeaker.
    private static let others = """
        {"id":"what","type":"instruction","text":"Read."},
        {"id":"one","type":"multi","text":"Which?","required":true,"radio":true,"modal":false,"shuffle":false,"options":["a","b"]},
        {"id":"many","type":"multi","text":"Which?","required":true,"radio":false,"modal":false,"shuffle":false,"options":["a","b"]},
        {"id":"number","type":"text","subtype":"numeric","text":"How many?","required":true},
        {"id":"day","type":"datetime","subtype":"date","text":"When?","required":true},
        {"id":"time","type":"datetime","subtype":"time","text":"When?","required":true},
        {"id":"both","type":"datetime","subtype":"datetime","text":"When?","required":true},
        {"id":"short","type":"text","subtype":"short","text":"A word?","required":true},
        {"id":"face","type":"media","subtype":"image","text":"See?","src":"https://example.org/a.png","thumb":"","required":false}
        """
}
