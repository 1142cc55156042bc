// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent
@testable import Study

/// Every input type of ESMira that a board without a screen can serve, answered by presses on every
/// panel; what is sent is what the app's view of that name saves (`androidApp/…/inputViews/*.kt`,
/// ESMira-apps f750e58).
@Suite struct ESMiraInputsTests {
    /// The fields of an input, what a participant means by it, and what is sent.
    static let inputs: [(input: String, scripted: ScriptedValue?, sent: [String: String])] = [
        (#""responseType":"likert","likertSteps":7"#, .number(6), ["q": "6"]),
        (#""responseType":"likert","useCustomStart":true,"customStart":-2"#, .number(-1), ["q": "-1"]),
        (#""responseType":"va_scale""#, .number(64), ["q": "64"]),
        (#""responseType":"va_scale","maxValue":10"#, .number(7), ["q": "7"]),
        (#""responseType":"binary","leftSideLabel":"no","rightSideLabel":"yes""#, .boolean(true), ["q": "1"]),
        (
            #""responseType":"list_single","listChoices":["home","bus"],"other":true"#, .string("bus"),
            ["q": "bus", "q~other": ""]
        ),
        (
            #""responseType":"list_single","listChoices":["home","bus"],"forceInt":true"#, .string("bus"),
            ["q": "2", "q~other": ""]
        ),
        (
            #""responseType":"list_multiple","listChoices":["cough","fever","ache"]"#,
            .list([.string("ache"), .string("cough")]), ["q": "cough, ache", "q~1": "1", "q~2": "0", "q~3": "1"]
        ),
        (#""responseType":"number","numberHasDecimal":true"#, .number(72.5), ["q": "72.5"]),
        (#""responseType":"duration""#, .number(90), ["q": "90"]),
        (#""responseType":"date""#, .string("2026-03-20"), ["q": "2026-03-20"]),
        (#""responseType":"time""#, .string("06:45"), ["q": "06:45"]),
        (#""responseType":"time","forceInt":true"#, .string("06:45"), ["q": "405"]),
        // By the library of H3's authors (PyPI h3 4.5.0): latlng_to_cell(51.5, -0.12, 7).
        (#""responseType":"location","resolution":7"#, .string("51.5,-0.12"), ["q": "87194ad14ffffff"]),
        (
            #""responseType":"battery_level""#, .list([.list([.number(73), .number(1)])]),
            ["q": "73", "q~charging": "1"]
        ),
        (#""responseType":"ambient_light""#, .number(320.7), ["q": "320"]),
        (
            #""responseType":"noise_level","timeoutSec":2"#,
            .list([.list([.number(-43.214), .number(-50), .number(-40.1)])]),
            ["q": "-43.21", "q~min": "-50.0", "q~max": "-40.1"]
        ),
        (#""responseType":"compass""#, .number(123.9), ["q": "123"]),
        (#""responseType":"countdown","timeoutSec":5"#, .number(0), ["q": "0"]),
        (#""responseType":"text""#, nil, ["q": ""]),
        (#""responseType":"image","url":"https://s.example/a.png""#, nil, ["q": ""]),
        (#""responseType":"share","url":"https://s.example/[[USER_ID]]""#, nil, ["q": ""]),
    ]

    /// With everything that a board can have.
    private static func panel(_ number: Int) throws -> Panel {
        var panel = try Panel(
            buttons: Panel.buttons(named: AgentFixture.panels[number]), leds: [Panel.LED("status", .mono)],
            buzzer: .fixed, hasLoudspeaker: true, hasMicrophone: true, hasPosition: true)
        panel.readings = ["battery", "light", "compass"]
        return panel
    }

    /// What is sent of a questionnaire with that input, each as `name=value`.
    private static func sent(_ inputs: String, _ answers: [String: ScriptedValue], on panel: Panel) throws -> String {
        let text =
            #"{"id":7,"version":1,"sendMessagesAllowed":false,"questionnaires":[{"internalId":71,"title":"EMA","completableOnce":true,"durationPeriodDays":1,"pages":[{"inputs":[\#(inputs)]}]}]}"#
        let loaded = try LoadedStudy(
            Array(text.utf8), origin: "study.json", platform: PlatformName(rawValue: "esmira"))
        let context = try AgentFixture.context(loaded.study)
        var simulation = try StudySimulation(
            loaded, context: context, panel: panel, participant: Participant(answers: answers), postURL: nil,
            days: nil)
        var bodies: [String] = []
        _ = try simulation.run { bodies.append(String(decoding: $0.body, as: UTF8.self)) }
        return try #require(bodies.first { $0.contains(#""eventType":"questionnaire""#) })
    }

    @Test(arguments: AgentFixture.panels.indices, inputs.indices)
    func anInputIsAnsweredByPressesAndSentAsTheAppDoes(_ number: Int, _ index: Int) throws {
        let (input, scripted, expected) = Self.inputs[index]
        let answers = scripted.map { ["q": $0] } ?? [:]
        let body = try Self.sent(#"{"name":"q","text":"?",\#(input)}"#, answers, on: Self.panel(number))
        for (name, value) in expected { #expect(body.contains("\"\(name)\":\"\(value)\""), "\(body)") }
    }

    /// Words are spoken: the sound is kept, and what is sent names it. Of `record_audio` the server
    /// waits for a file of that number.
    @Test(arguments: AgentFixture.panels.indices) func whatIsSpokenIsNamed(_ number: Int) throws {
        let panel = try Self.panel(number)
        let said = try Self.sent(#"{"name":"q","text":"?"}"#, ["q": .string("well")], on: panel)
        #expect(said.contains(#""q":"voice:"#), "\(said)")
        let file = try Self.sent(#"{"name":"q","responseType":"record_audio"}"#, ["q": .string("well")], on: panel)
        let value = file.split(separator: #""q":""#).dropFirst().first?.prefix { $0 != "\"" } ?? ""
        #expect(UInt32(value).map { $0 > 0 && $0 < 1 << 31 } == true, "\(file)")
        let other = try Self.sent(
            #"{"name":"q","responseType":"list_single","listChoices":["home"],"other":true}"#,
            ["q": .string("Other"), "q~other": .string("the bus")], on: panel)
        #expect(other.contains(#""q":"other","q~other":"voice:"#), "\(other)")
    }

    /// `Input.getDynamicInput`: the value of the one that was asked, under the name of the whole,
    /// and which one it was.
    @Test(arguments: AgentFixture.panels.indices) func oneOfSeveralIsAskedAndSentUnderTheNameOfTheWhole(
        _ number: Int
    ) throws {
        let parts = #"{"name":"a","responseType":"binary"},{"name":"b","responseType":"likert"}"#
        let body = try Self.sent(
            #"{"name":"q","responseType":"dynamic_input","subInputs":[\#(parts)]}"#, ["q~part0": .boolean(true)],
            on: Self.panel(number))
        #expect(body.contains(#""q":"1","q~index":"0""#), "\(body)")
    }

    /// Without any of it each is refused by its name where it must be answered, and left out and
    /// named where it need not.
    @Test(arguments: [
        "app_usage", "bluetooth_devices", "video", "photo", "file_upload", "location", "battery_level",
        "ambient_light", "noise_level", "compass", "record_audio",
    ])
    func whatTheBoardCannotAskIsNamed(_ type: String) throws {
        let panel = Panel.reference
        func verdict(_ required: Bool) throws -> StudyVerdict {
            let input = #"{"name":"q","responseType":"\#(type)","required":\#(required)}"#
            let text =
                #"{"id":7,"version":1,"questionnaires":[{"internalId":71,"title":"EMA","pages":[{"inputs":[\#(input),{"name":"calm","responseType":"binary"}]}]}]}"#
            return StudyVerdict(
                try LoadedStudy(
                    Array(text.utf8), origin: "study.json", platform: PlatformName(rawValue: "esmira")
                ).study, on: panel)
        }
        let place = "$.questionnaires[0].pages[0].inputs[0]"
        let remarks = try verdict(false).remarks.filter { $0.path.hasPrefix(place) && $0.kind == .unsupported }
        #expect(remarks.count == 1, "\(remarks)")
        do {
            let refusals = try verdict(true).refusals(for: nil)
            #expect(refusals.count == 1 && refusals[0].contains("q"), "\(refusals)")
        } catch let error as StudyFormatError {
            #expect(error.problems.map(\.path) == [place + ".responseType"])
        }
    }
}
