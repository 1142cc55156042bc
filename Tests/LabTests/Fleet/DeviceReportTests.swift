// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Lab

@Suite struct DeviceReportTests {
    @Test func everyFieldIsReadAndGivenAgain() throws {
        let report = try FleetSamples.report()
        #expect(report.device == "board-1" && report.participant == "P007" && report.nextReportWithin == 3900)
        #expect(report.prompts.map(\.reason) == ["device-off"] && report.battery == 0.83 && report.cardLife == nil)
        #expect(report.ledger?.text == #"{"samples":{"due":10,"stored":9,"lost":{"ringFull":1}}}"#)
        #expect(try DeviceReport(report.json) == report.withoutPrompts)
    }

    @Test func whatIsUnknownStaysUnknown() throws {
        let bare = #"""
            {"format":"studyd-report","version":1,"number":0,"reason":"enrolment","nextReportWithin":1,"device":"d",
            "study":"s","participant":"p","state":"idle","clock":null,"disk":{},"faults":null}
            """#
        let report = try DeviceReport(try JSONReader.value(bare))
        #expect(report.diskFree == nil && report.isDiskLow == nil && report.battery == nil && report.version == nil)
        #expect(report.json["disk"]?["free"] == .null && report.json["temperature"] == .null)
    }

    @Test(arguments: [
        ("format", #""other""#), ("version", "2"), ("number", "-1"), ("number", "1.5"), ("number", #""17""#),
        ("reason", #""bored""#), ("nextReportWithin", "0"), ("nextReportWithin", "2678401"), ("device", #""""#),
        ("device", "null"), ("participant", #""a\nb""#), ("study", #""\u0007""#), ("at", #""yesterday""#),
        ("clock.source", #""sun""#), ("clock.trusted", "1"), ("clock.uncertainty", "-1"), ("clock", "7"),
        ("prompts", "{}"), ("prompts", "[7]"), ("prompts", #"[{"occurrence":"o"}]"#), ("disk.free", "-5"),
        ("disk.free", "1e30"), ("power.battery", "1.01"), ("temperature", "201"), ("faults", #"[{"place":"x"}]"#),
        ("configuration", #""abc""#), ("state", #""well""#), ("ledger", "[]"),
        ("nextPrompt", #""soon""#), ("nextPrompt", "7"),
    ]) func aFieldThatCannotBeBelievedIsNamed(field: String, value: String) throws {
        let value = try FleetSamples.value([field: value])
        let error = #expect(throws: FieldError.self) { try DeviceReport(value) }
        #expect(error?.description.hasPrefix(field) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [
        ("nextReportWithin", "1"), ("nextReportWithin", "2678400"), ("power.battery", "0"), ("power.battery", "1"),
        ("temperature", "-100"), ("temperature", "200"), ("number", "9223372036854775807"),
    ]) func theEndsOfARangeAreGood(field: String, value: String) throws {
        _ = try FleetSamples.report([field: value])
    }

    @Test(arguments: [(200, true), (201, false)]) func namesHaveALength(count: Int, isGood: Bool) throws {
        let value = try FleetSamples.value(["device": "\"" + String(repeating: "é", count: count) + "\""])
        #expect(((try? DeviceReport(value)) != nil) == isGood)
    }

    @Test(arguments: [(500, true), (501, false)]) func promptsHaveANumber(count: Int, isGood: Bool) throws {
        let one = #"{"occurrence":"o","task":"t","due":"2026-11-25T18:00:00Z","outcome":"completed"}"#
        let list = "[" + Array(repeating: one, count: count).joined(separator: ",") + "]"
        #expect(((try? FleetSamples.report(["prompts": list])) != nil) == isGood)
    }

    @Test(arguments: [(64, true), (65, false)]) func faultsHaveANumber(count: Int, isGood: Bool) throws {
        let list = "[" + Array(repeating: #"{"place":"x","fault":"y"}"#, count: count).joined(separator: ",") + "]"
        #expect(((try? FleetSamples.report(["faults": list])) != nil) == isGood)
    }

    @Test(
        arguments: [
            (Array(repeating: "\"o\"", count: 1024), true), (Array(repeating: "\"o\"", count: 1025), false),
            (["1"], false),
        ] as [([String], Bool)])
    func whatIsTakenBackIsAListOfNames(list: [String], isGood: Bool) {
        let report = try? FleetSamples.report(["returned": "[" + list.joined(separator: ",") + "]"])
        #expect((report != nil) == isGood)
    }

    @Test(arguments: [
        ("16", "2026-11-25T18:59:59+01:00", "e1", true), ("16", "2026-11-25T20:00:00+01:00", "e1", false),
        ("18", "2026-11-25T18:00:00+01:00", "e1", false), ("1", "2026-11-25T18:00:00+01:00", "e2", false),
        ("17", "2026-11-25T19:00:00+01:00", "e1", false),
    ]) func aReportThatWasOvertakenIsStale(number: String, at: String, enrolment: String, isStale: Bool) throws {
        let late = try FleetSamples.report(["number": number, "at": "\"\(at)\"", "enrolment": "\"\(enrolment)\""])
        #expect(try late.isStale(beside: FleetSamples.report()) == isStale)
    }
}
