// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import SystemKit
import Testing

@testable import Lab

@Suite(.timeLimit(.minutes(10))) struct FleetArchiveTests {
    private let now = Instant(seconds: 1_780_000_000)

    private func prompt(_ id: String, _ due: String, _ outcome: String, _ reason: String = "null") -> String {
        #"{"occurrence":"\#(id)","task":"t","due":"\#(due)","outcome":"\#(outcome)","reason":\#(reason)}"#
    }

    /// One of before has no such index.
    @Test func whatAParticipantProducedIsFoundByAnIndexInAnOldDatabaseToo() async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let path = folder + "/fleet.sqlite"
            _ = try FleetArchive(.file(path))
            try Connection(.file(path)).execute("DROP INDEX producedOfParticipant")
            _ = try FleetArchive(.file(path))
            let plan = try Connection(.file(path)).rows(
                "EXPLAIN QUERY PLAN SELECT sha256, device FROM produced WHERE participant = ?", "P007"
            ) { try $0.string(3) }
            #expect(plan.contains { $0.contains("producedOfParticipant") }, "\(plan)")
        }
    }

    @Test func aPromptThatIsToldTwiceCountsOnce() async throws {
        let archive = try FleetArchive(.memory)
        let list =
            "[" + prompt("a", "2026-05-28T18:00:00Z", "completed") + ","
            + prompt("b", "2026-05-28T19:00:00Z", "expired") + ","
            + prompt("c", "2026-05-28T20:00:00Z", "missed", #""replaced""#) + "]"
        for _ in 0..<2 {
            try await archive.take(FleetSamples.report(["prompts": list]), isKeyed: false, from: "", at: now)
        }
        #expect(await archive.all().first?.weeks(at: now).this == PromptCount(answered: 1, over: 2))
        #expect(try await archive.prompts(of: FleetSamples.source, limit: 10).map(\.occurrence) == ["c", "b", "a"])
    }

    @Test func whatAWrongClockBroughtIsTakenBack() async throws {
        let archive = try FleetArchive(.memory)
        let missed = ["a", "b", "c"].map { prompt($0, "2026-05-28T18:00:00Z", "missed", #""device-off""#) }
        for changes in [
            ["prompts": "[" + missed.joined(separator: ",") + "]"],
            [
                "returned": #"["a","b","unknown"]"#,
                "prompts": "[" + prompt("b", "2026-05-28T18:00:00Z", "completed") + "]",
            ],
        ] as [KeyValuePairs<String, String>] {
            try await archive.take(FleetSamples.report(changes), isKeyed: false, from: "", at: now)
        }
        let kept = try await archive.prompts(of: FleetSamples.source, limit: 10)
        #expect(Set(kept.map { $0.occurrence + " " + $0.outcome }) == ["b completed", "c missed"])
        // Without another outcome.
        let alone = try FleetSamples.report(["returned": #"["c"]"#, "prompts": "[]"])
        try await archive.take(alone, isKeyed: false, from: "", at: now)
        #expect(await archive.all().first?.weeks(at: now).this == PromptCount(answered: 1, over: 1))
    }

    /// The answer to it was lost, and the next report, which says the same and more, came first.
    @Test func anOvertakenReportTakesNothingBack() async throws {
        let archive = try FleetArchive(.memory)
        func list(_ outcome: String, _ other: String) -> String {
            "[" + prompt("b", "2026-05-28T18:00:00Z", outcome) + "," + prompt(other, "2026-05-28T18:00:00Z", "missed")
                + "]"
        }
        for changes in [
            ["prompts": list("completed", "c"), "returned": #"["b"]"#],
            ["number": "16", "prompts": list("missed", "late"), "returned": #"["b","c"]"#],
        ] as [KeyValuePairs<String, String>] {
            try await archive.take(FleetSamples.report(changes), isKeyed: false, from: "", at: now)
        }
        let kept = try await archive.prompts(of: FleetSamples.source, limit: 10)
        #expect(Set(kept.map { $0.occurrence + " " + $0.outcome }) == ["b completed", "c missed", "late missed"])
    }

    /// The report, of 19:00, may have what came of the prompt since it was taken back in the log.
    @Test(arguments: [(-1, true), (0, true), (1, false)] as [(Int64, Bool)])
    func aSegmentFromBeforeAReportTakesNothingBack(end: Int64, isKept: Bool) async throws {
        let archive = try FleetArchive(.memory)
        try await archive.take(FleetSamples.report(), isKeyed: false, from: "", at: now)
        let reported = try #require(Instant.parsed("2026-11-25T19:00:00+01:00"))
        try await archive.take(
            [], returned: ["o1"], end: reported + .seconds(end), study: "mood", participant: "board-1",
            enrolment: "e1")
        #expect(try await archive.prompts(of: FleetSamples.source, limit: 10).isEmpty == !isKept)
    }

    @Test(arguments: [(-1, "completed"), (0, "completed"), (1, "missed")] as [(Int64, String)])
    func aSegmentFromBeforeAReportReplacesNothing(end: Int64, outcome: String) async throws {
        let archive = try FleetArchive(.memory)
        let (completed, missed) = try (told("completed"), told("missed"))
        try await archive.take(completed, isKeyed: false, from: "", at: now)
        let reported = try #require(Instant.parsed("2026-11-25T19:00:00+01:00"))
        try await archive.take(
            missed.prompts, end: reported + .seconds(end), study: "mood", participant: "board-1", enrolment: "e1")
        #expect(try await archive.prompts(of: FleetSamples.source, limit: 10).map(\.outcome) == [outcome])
    }

    private func told(_ outcome: String) throws -> DeviceReport {
        try FleetSamples.report(["prompts": "[" + prompt("o1", "2026-11-25T17:00:00Z", outcome) + "]"])
    }

    /// What an older device does not tell is unknown.
    @Test(
        arguments: [
            (
                #","opened":"2026-05-28T18:00:30Z","presses":{"mood":3},"clockError":0.25"#, "2026-05-28T18:00:30Z",
                3.0, 0.25
            ),
            ("", nil, nil, nil),
        ] as [(String, String?, Double?, Double?)])
    func thePressesAndTheClockOfAPromptAreKept(
        more: String, opened: String?, presses: Double?, clockError: Double?
    ) async throws {
        let archive = try FleetArchive(.memory)
        let text = prompt("a", "2026-05-28T18:00:00Z", "completed").dropLast() + more + "}"
        try await archive.take(FleetSamples.report(["prompts": "[\(text)]"]), isKeyed: false, from: "", at: now)
        let kept = try #require(try await archive.prompts(of: FleetSamples.source, limit: 1).first)
        #expect(kept.opened == opened && kept.clockError == clockError)
        #expect(kept.json["presses"]?["mood"]?.double == presses)
    }

    @Test(arguments: [#""opened":"yesterday""#, #""presses":7"#, #""clockError":-1"#])
    func whatCannotBeBelievedOfAPromptIsRefused(field: String) {
        let text = prompt("a", "2026-05-28T18:00:00Z", "completed").dropLast() + "," + field + "}"
        #expect(throws: FieldError.self) { try FleetSamples.report(["prompts": "[\(text)]"]) }
    }

    @Test func whatWasTakenIsThereAfterARestart() async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let list = "[" + prompt("a", "2026-05-28T18:00:00Z", "completed") + "]"
            let location = folder + "/fleet.sqlite"
            let before = try FleetArchive(.file(location))
            try await before.take(FleetSamples.report(["prompts": list]), isKeyed: true, from: "192.0.2.1", at: now)
            #expect(await before.all() == (try await FleetArchive(.file(location)).all()))
        }
    }

    /// Of two programs on one database, as the server and `devices forget` are; the rows are counted by
    /// sqlite3.
    @Test func whatIsForgottenIsGoneAlsoForTheServerThatRuns() async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let location = folder + "/fleet.sqlite"
            let (server, command) = (try FleetArchive(.file(location)), try FleetArchive(.file(location)))
            let list = "[" + prompt("a", "2026-05-28T18:00:00Z", "completed") + "]"
            try await server.take(
                FleetSamples.report(["prompts": list, "participant": "\"P007\""]), isKeyed: true, from: "", at: now)
            let other = try FleetSamples.report(["device": "\"d2\"", "participant": "\"P008\""])
            try await server.take(other, isKeyed: true, from: "", at: now)
            let forgotten = try await command.forget("P007")
            #expect(forgotten == ["1 report", "1 outcome", "1 enrolment"])
            #expect(await server.all().map(\.report.participant) == ["P008"])
            #expect(try await command.forget("P007") == [])
            let counted = try await run([
                "python3", "-c",
                "import sqlite3,sys; s=sqlite3.connect(sys.argv[1]); print(*(s.execute(f'SELECT count(*) FROM {t}').fetchone()[0] for t in ('device','prompt','trend')))",
                location,
            ])
            #expect(counted == "1 1 1\n")
            // It still reports.
            try await server.take(
                FleetSamples.report(["participant": "\"P007\""]), isKeyed: true, from: "", at: now + .seconds(9))
            let back = try #require(await server.all().first { $0.report.participant == "P007" })
            #expect(back.first == now + .seconds(9))
        }
    }

    /// The server has not looked since the command forgot it: it is a new one, and makes no place of another's.
    @Test func whoIsForgottenAndReportsNextIsNew() async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let location = folder + "/fleet.sqlite"
            let server = try FleetArchive(.file(location))
            try await server.take(FleetSamples.report(), isKeyed: true, from: "", at: now)
            let forgotten = try await FleetArchive(.file(location)).forget("P007")
            #expect(forgotten.contains("1 enrolment"))
            try await server.take(FleetSamples.report(), isKeyed: true, from: "", at: now + .seconds(9))
            #expect(await server.all().map(\.first) == [now + .seconds(9)])
        }
    }

    /// An answer was lost, and the report before comes again: its prompts count, its figures do not.
    @Test func anOvertakenReportChangesNothingButPrompts() async throws {
        let archive = try FleetArchive(.memory)
        try await archive.take(FleetSamples.report(), isKeyed: false, from: "", at: now)
        let late = try FleetSamples.report([
            "number": "16", "at": "\"2026-11-25T18:00:00+01:00\"", "temperature": "99",
            "prompts": "[" + prompt("late", "2026-05-28T18:00:00Z", "completed") + "]",
        ])
        try await archive.take(late, isKeyed: false, from: "", at: now + .seconds(5))
        let device = try #require(await archive.all().first)
        #expect(device.report.temperature == 48.2 && device.received == now + .seconds(5))
        #expect(try await archive.prompts(of: FleetSamples.source, limit: 10).count == 2)
        #expect(try await archive.trend(of: FleetSamples.source).map(\.temperature) == [48.2])
    }

    @Test func oneAddressCannotFillTheListButKeysMay() async throws {
        let archive = try FleetArchive(.memory)
        func report(_ number: Int) throws -> DeviceReport { try FleetSamples.report(["device": "\"d\(number)\""]) }
        for number in 0..<FleetArchive.mostDevicesOfOne {
            try await archive.take(report(number), isKeyed: false, from: "192.0.2.1", at: now)
        }
        let next = try report(1000)
        await #expect(throws: HTTPFailure.self) {
            try await archive.take(next, isKeyed: false, from: "192.0.2.1", at: now)
        }
        try await archive.take(next, isKeyed: true, from: "192.0.2.1", at: now)
        try await archive.take(report(0), isKeyed: false, from: "192.0.2.1", at: now)
        try await archive.take(report(1001), isKeyed: false, from: "192.0.2.2", at: now)
        #expect(await archive.all().count == FleetArchive.mostDevicesOfOne + 2)
    }

    private func manifest(_ day: String, part: Int = 1, of parts: Int = 1, _ entries: String = "[]") throws
        -> DeviceManifest
    {
        let text = #"""
            {"format":"studyd-manifest","version":1,"device":"board-1","study":"mood","participant":"P007",
            "day":"\#(day)","part":\#(part),"parts":\#(parts),"entries":\#(entries)}
            """#
        return try DeviceManifest(try JSONReader.value(text))
    }

    @Test func aDayWithoutAWholeManifestIsNamed() async throws {
        let archive = try FleetArchive(.memory)
        for (day, part, parts) in [
            ("2026-11-20", 1, 1), ("2026-11-22", 1, 2), ("2026-11-23", 1, 2), ("2026-11-23", 2, 2),
        ] {
            try await archive.take(manifest(day, part: part, of: parts), here: [], at: now)
        }
        #expect(try await archive.daysWithoutManifest().map(\.day) == ["2026-11-21", "2026-11-22"])
    }

    /// docs/report.schema.json: a manifest without `part` and `parts` is all of its day.
    @Test(arguments: [("", ["2026-11-21"]), (#""part":1,"parts":2,"#, [])] as [(String, [String])])
    func aManifestThatNamesNoPartIsWhole(part: String, missing: [String]) async throws {
        let archive = try FleetArchive(.memory)
        for day in ["2026-11-20", "2026-11-22"] {
            let text = #"""
                {"format":"studyd-manifest","version":1,"device":"board-1","study":"mood","participant":"P007",
                "day":"\#(day)",\#(part)"entries":[]}
                """#
            try await archive.take(DeviceManifest(try JSONReader.value(text)), here: [], at: now)
        }
        #expect(try await archive.daysWithoutManifest().map(\.day) == missing)
    }

    /// docs/lab.md: 5000 are kept of a device, and the whole study is all of them.
    @Test func everyPromptThatIsKeptIsCounted() async throws {
        let archive = try FleetArchive(.memory)
        for number in 0..<3 {
            let prompts = (0..<400).map { prompt("\(number)/\($0)", "2026-05-28T18:00:00Z", "completed") }
            let list = "[" + prompts.joined(separator: ",") + "]"
            try await archive.take(FleetSamples.report(["prompts": list]), isKeyed: false, from: "", at: now)
        }
        #expect(await archive.all().first?.promptDays.map(\.answered) == [1200])
    }

    /// As `mirror` takes it from a bucket: logs and manifests, and no report.
    @Test func whatCameWithoutAReportIsForgottenToo() async throws {
        let archive = try FleetArchive(.memory)
        let list = "[" + prompt("a", "2026-05-28T18:00:00Z", "completed") + "]"
        let prompts = try FleetSamples.report(["prompts": list]).prompts
        for participant in ["P007", "P008"] {
            try await archive.take(prompts, study: "mood", participant: participant, enrolment: participant)
        }
        try await archive.take(
            manifest("2026-11-20", #"[{"kind":"recording","id":"1","state":"delivered"}]"#), here: [], at: now)
        let forgotten = try await archive.forget("P007")
        #expect(forgotten == ["1 manifest", "1 outcome", "1 listed item"])
        let left = try await archive.prompts(of: nil, from: .epoch, to: .distantFuture, limit: 10)
        #expect(left.map(\.participant) == ["P008"])
        #expect(try await archive.absent(limit: 10).isEmpty)
        #expect(try await archive.forget("P007") == [])
    }

    /// docs/report.schema.json: the parts of a day are numbered from 1. A part 0 and a part 1 are not both of two.
    @Test(arguments: [(0, 2), (3, 2), (-1, 1)]) func aPartThatADayCannotHaveIsRefused(part: Int, parts: Int) {
        #expect(throws: FieldError.self) { try manifest("2026-11-20", part: part, of: parts) }
    }

    @Test(
        arguments: [
            ("recording", "delivered", nil, 0, true), ("recording", "delivered", "goes to elsewhere", 0, false),
            ("recording", "waiting", nil, 7 * 86_400, false), ("recording", "waiting", nil, 7 * 86_400 + 1, true),
            ("recording", "given up", "the disk was full", 0, false), ("recording", "given up", nil, 0, true),
            ("recording", "deleted", nil, 0, true), ("submission", "delivered", nil, 0, false),
        ] as [(String, String, String?, Int, Bool)])
    func whatIsNotHereHasAReasonOrIsMissing(kind: String, state: String, why: String?, age: Int, isHole: Bool) {
        let item = ProducedItem(
            device: "d", participant: "p", day: "2026-11-25", received: now,
            entry: .init(kind: kind, id: "1", name: nil, sha256: nil, bytes: nil, count: nil, state: state, why: why))
        #expect((item.hole(at: now + .seconds(age), answersComeHere: false) != nil) == isHole)
    }

    /// docs/lab.md: 5000 are kept of a device. Of one more the oldest goes, by whichever way that came.
    @Test func ofADevicesPromptsTheLastFiveThousandAreKept() async throws {
        let archive = try FleetArchive(.memory)
        let prompts = (0...5000).map { number in
            PromptOutcome(
                occurrence: "\(number)", task: "t", due: (now + .seconds(60 * number)).rfc3339(), outcome: "completed",
                reason: nil, presented: nil, ended: nil)
        }
        func kept() async throws -> [String] {
            try await archive.prompts(of: FleetSamples.source, limit: 10_000).map(\.occurrence)
        }
        for (part, oldest) in [(prompts.dropLast(), "0"), (prompts.suffix(1), "1")] {
            try await archive.take(Array(part), study: "mood", participant: "board-1", enrolment: "e1")
            let kept = try await kept()
            #expect(kept.count == 5000 && kept.first == part.last?.occurrence && kept.last == oldest)
        }
        let list = "[" + prompt("last", "2026-07-28T18:00:00Z", "completed") + "]"
        try await archive.take(FleetSamples.report(["prompts": list]), isKeyed: false, from: "", at: now)
        let left = try await kept()
        #expect(left.count == 5000 && left.first == "last" && left.last == "2")
        #expect(await archive.all().first?.promptDays.map(\.answered).reduce(0, +) == 5000)
    }

    /// As of tasks that are due together.
    @Test(arguments: [(5000, 5000), (5001, 5000), (5100, 5000)])
    func ofPromptsOfOneMomentOnlyThoseTooManyGo(_ taken: Int, _ kept: Int) async throws {
        let archive = try FleetArchive(.memory)
        let prompts = (0..<taken).map { number in
            PromptOutcome(
                occurrence: "\(number)", task: "t", due: now.rfc3339(), outcome: "completed", reason: nil,
                presented: nil, ended: nil)
        }
        try await archive.take(prompts, study: "mood", participant: "board-1", enrolment: "e1")
        #expect(try await archive.prompts(of: FleetSamples.source, limit: 10_000).count == kept)
    }
}
