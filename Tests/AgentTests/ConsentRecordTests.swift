// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Agent

@Suite struct ConsentRecordTests {
    private static let good = #""version":"1.0","recordedBy":"A. Nurse","eligible":true"#

    private static func record(_ members: String) throws -> ConsentRecord {
        try ConsentRecord(parsing: Array("{\(members)}".utf8), file: "consent.json")
    }

    private static func with(_ more: String) -> String { good + more }

    @Test(
        arguments: [
            (#""version":" ","recordedBy":"A","eligible":true"#, "non-empty"),
            (#""version":"1","recordedBy":" \n","eligible":true"#, "non-empty"),
            (#""version":1.0,"recordedBy":"A","eligible":true"#, "\"version\" is 1.0"),
            (#""version":"1","recordedBy":"A","eligible":"true""#, "\"eligible\": true"),
            (with(#","sharing":false"#), "\"sharing\" is false"), (with(#","sharing":true"#), "\"NA\""),
            (with(#","sharing":"perhaps""#), "\"sharing\" is \"perhaps\""),
            (with(#","representative":["B"]"#), "\"representative\" is an array"),
            (with(#","comprehension":5"#), "nothing is known of \"comprehension\""),
            (with(#","date":"20.11.2026""#), "\"date\" is \"20.11.2026\""),
            (with(#","date":"2026-02-30""#), "2026-11-20"), (with(#","date":20261120"#), "\"date\" is 20261120"),
        ] as [(String, String)]) func whatIsWrongWithAConsentIsSaid(members: String, says: String) throws
    {
        let error = #expect(throws: FileError.self) { try Self.record(members) }
        let said = "\(try #require(error))"
        #expect(said.contains("consent.json") && said.contains(says), "\(said)")
    }

    @Test(
        arguments: [
            ("", nil), (#","sharing":null,"representative":null"#, nil), (#","sharing":"false""#, "false"),
            (#","sharing":"NA","date":"2026-11-20""#, "NA"),
        ] as [(String, String?)])
    func aChoiceOfSharingThatIsNotThereIsNone(members: String, sharing: String?) throws {
        #expect(try Self.record(Self.good + members).asked.sharing == sharing)
    }

    @Test func theLogKeepsWhoWhenAndTheChoice() throws {
        let record = try Self.record(Self.good + #","representative":"B","date":"2026-11-20""#)
        let noted = Instant(seconds: 1_795_680_000)
        let kept = ConsentStatus.Recorded(version: "1.0", choice: record.choice(otherwise: "NA"), noted: noted)
        #expect(kept.recordedBy == "A. Nurse" && kept.representative == "B")
        #expect(kept.sharing == "NA" && kept.date == "2026-11-20")
        // A row of another program.
        let other = ConsentStatus.Recorded(version: "2", choice: "share", noted: noted)
        #expect(other.recordedBy.isEmpty && other.sharing.isEmpty && other.date.isEmpty)
    }

    @Test(arguments: [("2026-11-20", true), ("2026-11-21", false)])
    func aConsentOfTheFutureIsRefused(date: String, isRight: Bool) throws {
        let record = try Self.record(Self.good + ",\"date\":\"\(date)\"")
        let today = try LocalDate(parsing: "2026-11-20")
        if isRight { return try record.refuseLater(than: today) }
        #expect(throws: FileError.self) { try record.refuseLater(than: today) }
    }

    @Test(
        arguments: [
            (nil, nil, nil), (nil, "", nil), ("1.0", nil, nil), ("1.0", "1.0", nil),
            (nil, "1.0", "no consent is recorded, and the study's is version 1.0"),
            ("1.0", "2.0", "the recorded consent is version 1.0, and the study's is version 2.0"),
        ] as [(String?, String?, String?)])
    func whatIsMissingIsSaid(recorded: String?, wanted: String?, says: String?) {
        let noted = Instant(seconds: 1_795_680_000)
        let status = ConsentStatus(
            recorded: recorded.map { .init(version: $0, choice: "{}", noted: noted) }, wanted: wanted, since: noted)
        #expect((status.problem == nil) == (says == nil))
        if let says { #expect(status.problem?.hasPrefix(says) == true) }
    }
}
