// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Study
import SystemKit
import Testing

@testable import Agent

@Suite struct DeviceReportTests {
    private static let at = Instant(seconds: 1_795_629_600)

    private static func report(_ change: (inout DeviceReport) -> Void = { _ in }) throws -> DeviceReport {
        var record = EnrolmentRecord(
            Fixture.enrolment, platform: PlatformName(rawValue: "schema"), source: "study.json",
            fileDigest: try Digest(of: []))
        record.participant = "P017"
        var report = DeviceReport(
            number: 17, at: at, zone: try Zone.load(AgentFixture.berlin), reason: .hour, record: record)
        change(&report)
        return report
    }

    private static func outcome(_ number: Int, _ outcome: Outcome, name: String = "mood") -> PromptOutcome {
        PromptOutcome(
            row: Int64(number), occurrence: "\(name)/\(number)", task: name, due: at, outcome: outcome, presented: nil,
            ended: at)
    }

    private static func full(_ report: inout DeviceReport) {
        report.clock = ClockTrust.Opinion(source: .gps, uncertainty: .milliseconds(200))
        report.isClockTrusted = true
        report.ledger = Ledger().json
        report.prompts = [
            outcome(1, .completed), outcome(2, .missed(.deviceOff)), outcome(3, .expired), outcome(4, .declined),
            outcome(5, .interrupted),
        ]
        report.returned = [.init(row: 6, occurrences: ["mood/7", "mood/8"])]
        report.newestRecording = 123
        report.coverage = [
            .init(measure: "accelerometer", time: .seconds(3600), expected: 360_000, stored: 359_000, lost: 1000),
            .init(measure: "position", time: .zero, expected: nil, stored: 0, lost: 0),
        ]
        report.outbox = OutboxBacklog(
            count: 3, bytes: 1234, oldest: at - .seconds(120), oldestTried: at - .seconds(120))
        report.disk = DiskSpace(at: "/")
        report.written = 123_456_789
        var reading = DeviceHealth.Reading()
        (reading.throttled, reading.temperature, reading.life) = (1, 48.2, 0.3)
        _ = report.health.record(reading, at: .zero)
        report.battery = 0.83
        report.faults = [
            .init(place: "i2c-1/0x68", words: "stalled", since: at), .init(place: nil, words: "x", since: nil),
        ]
        report.configuration = String(repeating: "a", count: 64)
        report.activity = .recording
        report.nextPrompt = at + .seconds(5400)
        report.asksForDeletion = true
    }

    private static func object(_ report: DeviceReport) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(report.encoded().body)) as? [String: Any])
    }

    /// An empty one, a full one, and each source of a clock, by PyPI's jsonschema.
    @Test func everyReportIsAsTheSchemaSays() throws {
        guard ReportSchema.isThere else { return print("SKIPPED: Python's jsonschema is not installed") }
        let sources: [ClockAnchor.Source] = [.unknown, .rtc, .kernel, .gps, .vouched, .simulated]
        let reports =
            try [Self.report(), Self.report(Self.full)]
            + sources.map { source in
                try Self.report { $0.clock = ClockTrust.Opinion(source: source, uncertainty: .seconds(1)) }
            }
        let faults = try ReportSchema.faults(of: reports.map { $0.encoded().body })
        #expect(faults == reports.map { _ in "" })
    }

    /// The schema refuses what the contract does not have.
    @Test(arguments: [
        ("\"version\":1", "\"version\":2"), ("\"number\":17", "\"number\":0"),
        ("\"reason\":\"hour\"", "\"reason\":\"day\""),
        ("\"source\":\"gps\"", "\"source\":\"rtc\""), ("\"battery\":0.83", "\"battery\":83"),
        ("\"prompts\":", "\"prompt\":"),
        ("\"state\":\"recording\"", "\"state\":null"), ("\"outcome\":\"missed\"", "\"outcome\":\"missed/device-off\""),
    ])
    func theSchemaRefuses(text: String, other: String) throws {
        guard ReportSchema.isThere else { return print("SKIPPED: Python's jsonschema is not installed") }
        let body = String(decoding: try Self.report(Self.full).encoded().body, as: UTF8.self)
        let changed = body.replacing(text, with: other, maxReplacements: 1)
        #expect(changed != body)
        #expect(try ReportSchema.faults(of: [Array(changed.utf8)]) != [""])
    }

    @Test func whatIsNotKnownIsNullAndNeverZero() throws {
        let object = try Self.object(Self.report())
        for path in [
            ["ledger"], ["temperature"], ["configuration"], ["program", "commit"], ["clock", "source"],
            ["clock", "uncertainty"], ["recordings", "newest"], ["outbox", "waiting"], ["outbox", "oldestSeconds"],
            ["disk", "free"], ["disk", "low"], ["card", "written"], ["card", "life"], ["power", "underVoltage"],
            ["power", "battery"], ["nextPrompt"],
        ] {
            var value: Any? = object
            for key in path { value = (value as? [String: Any])?[key] }
            #expect(value is NSNull, "\(path)")
        }
        #expect(object["at"] as? String == "2026-11-25T19:00:00.000+01:00")
        #expect(object["nextReportWithin"] as? Int == 3900 && object["device"] as? String == "P017")
    }

    /// A clock without a source has no error that could be stated; a missed prompt has its reason.
    @Test func valuesAreTheContracts() throws {
        let object = try Self.object(Self.report(Self.full))
        let prompts = try #require(object["prompts"] as? [[String: Any]])
        #expect(
            prompts.map { $0["outcome"] as? String } == ["completed", "missed", "expired", "declined", "interrupted"])
        #expect(prompts[1]["reason"] as? String == "device-off" && prompts[0]["reason"] is NSNull)
        let power = try #require(object["power"] as? [String: Any])
        #expect(power["underVoltage"] as? Bool == true)
        #expect((object["outbox"] as? [String: Any])?["oldestSeconds"] as? Int == 120)
        // A time, and no task: its name may be that of an arm.
        #expect(object["nextPrompt"] as? String == "2026-11-25T20:30:00+01:00")
    }

    /// Dated by a clock that was not set, or later than by a clock that is behind.
    @Test func theAgeOfWhatWaitsIsUnknownWhereAClockWasWrong() throws {
        let ages: [(Instant, Int?)] = [
            (Instant(seconds: 1_567_000_000), nil), (Self.at + .seconds(9), 0), (Self.at + .seconds(61), nil),
        ]
        for (oldest, age) in ages {
            let object = try Self.object(
                Self.report { $0.outbox = OutboxBacklog(count: 1, bytes: 1, oldest: oldest, oldestTried: nil) })
            let outbox = try #require(object["outbox"] as? [String: Any])
            #expect(outbox["oldestSeconds"] as? Int == age && outbox["waiting"] as? Int == 1)
        }
    }

    /// 500 outcomes with long names are more than 64 KiB: the first that fit go, the rest next time.
    @Test func aReportNeverExceedsItsBoundAndSaysHowFarItCame() throws {
        let name = String(repeating: "ż", count: 150)
        for count in [0, 1, 500, 501, 2000] {
            let report = try Self.report { report in
                report.prompts = (1...max(1, count)).prefix(count).map { Self.outcome($0, .expired, name: name) }
                report.faults = (0..<80).map { .init(place: name, words: "\($0)" + name, since: nil) }
            }
            let (body, row) = report.encoded()
            let object = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
            let told = try #require(object["prompts"] as? [[String: Any]])
            #expect(body.count <= 65_536 && told.count <= 500)
            #expect(row == (count == 0 ? nil : Int64(told.count)) && (count == 0 || !told.isEmpty))
            #expect((object["faults"] as? [Any])?.count == 50)
        }
    }

    /// In the order of the log: the row that a report came to leaves nothing out.
    @Test(arguments: [(5, true), (500, false)]) func whatWasTakenBackComesInItsTurn(count: Int, fits: Bool) throws {
        let name = String(repeating: "ż", count: 150)
        let (body, row) = try Self.report { report in
            report.prompts = (1...count).map { Self.outcome($0, .expired, name: name) }
            report.returned = [.init(row: 501, occurrences: ["mood/1"])]
        }.encoded()
        let object = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
        #expect(object["returned"] as? [String] == (fits ? ["mood/1"] : nil))
        #expect((row == 501) == fits && row ?? 0 > 0)
    }

    /// A row of the log has up to 256, of 800 bytes each: what comes after it must not wait for it for ever.
    @Test func whatIsTakenBackWithTooLongNamesIsPassedWithItsCount() throws {
        let names = (0..<256).map { "\($0)" + String(repeating: "🛌", count: 150) }
        let (body, row) = try Self.report { report in
            report.returned = [.init(row: 7, occurrences: names), .init(row: 8, occurrences: ["mood/8"])]
        }.encoded()
        let object = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
        let told = try #require(object["returned"] as? [String])
        #expect(body.count <= 65_536 && row == 7)
        #expect(!told.isEmpty && told == Array(names.prefix(told.count)))
        let faults = try #require(object["faults"] as? [[String: Any]])
        #expect((faults.first?["fault"] as? String)?.contains(" \(256 - told.count) prompts ") == true)
    }
}
