// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import FoundationEssentials
import SystemKit
import Testing

@testable import Dataset
@testable import Lab
@testable import StandIns

/// Answers that came to a played server, kept by that server's own code.
struct LabPlatformsTests {
    private static let participant = "aB3d-Ef5G-hJ7k"

    /// What a lab has of ESMira's example after these rows of the participant, each with its table; cells that
    /// are not named are empty.
    private func withESMira(
        _ rows: [(String, [String: String])], _ body: (LabFolder, ESMiraStore) async throws -> Void
    ) async throws {
        let lab = try LabFixture()
        // The folder goes with it.
        defer { withExtendedLifetime(lab) {} }
        let store = try ESMiraStore(.file(lab.directory + "/esmira.sqlite"))
        let path = LabFixture.root + "/studies/esmira.json"
        let study = try ESMiraServedStudy(try JSONReader.value(BoundedFile.text(path)), path: path)
        try await store.transaction { tables in
            try tables.prepare(study)
            try tables.save(ESMiraUser(name: Self.participant, number: 1, joined: 0), of: study.id)
            for (table, cells) in rows {
                let columns = try tables.columns(table, of: study.id) ?? []
                try tables.add(columns.map { cells[$0] ?? "" }, to: table, of: study.id, user: Self.participant)
            }
        }
        try await body(try LabFolder(lab.directory, study: nil, studyFiles: [path]), store)
    }

    @Test func aTableOfESMiraBecomesAnswers() async throws {
        let cells = [
            "questionnaireName": "Now", "timezoneOffset": "3600000", "responseTime": "1795245120000", "mood": "4",
            "place": "2", "symptoms~1": "1", "uploaded": "1795245121000",
        ]
        let rows = [
            ("26011", cells), ("26011", cells.merging(["responseTime": "soon"]) { $1 }),
            ("events", ["eventType": "joined", "timezoneOffset": "3600000", "responseTime": "1795245060000"]),
        ]
        try await withESMira(rows) { whole, _ in
            #expect(whole.latest == Instant(milliseconds: 1_795_245_121_000))
            #expect(whole.study == "2601" && whole.participants.map(\.id) == [Self.participant])
            #expect(try whole.items().prefix(2) == ["mood", "stress"])
            let record = try whole.record(of: whole.participants[0])
            #expect(record.events.map { "\($0.event) \($0.time.utc)" } == ["joined 2026-11-21T07:11:00.000Z"])
            #expect(record.submissions.count == 1)
            #expect(
                record.issues.contains {
                    $0.text == "row 2 of 26011 says no time at which it was answered; it is left out"
                })
            let submission = try #require(record.submissions.first)
            #expect(submission.task == "26011" && submission.answered.local == "2026-11-21T08:12:00.000")
            #expect(submission.answers.map { "\($0.item)=\($0.value)" } == ["mood=4", "place=2", "symptoms~1=1"])
        }
    }

    /// `noise`, `noise~min`, `noise~max`, `noise`: a case of ESMira-web 0750ca3 (`src/backend/ResponsesIndex.php`,
    /// `addInput`) has no `break`.
    @Test func aColumnThatESMiraHasTwiceIsOneAnswer() async throws {
        let cells = ["responseTime": "1795245120000", "noise": "50.0", "noise~min": "40.0", "noise~max": "61.0"]
        try await withESMira([("26015", cells)]) { whole, store in
            let columns = try await store.transaction { try $0.columns("26015", of: 2601) }
            #expect(columns?.count { $0 == "noise" } == 2)
            let submission = try #require(try whole.record(of: whole.participants[0]).submissions.first)
            #expect(
                submission.answers.map { "\($0.item)=\($0.value)" } == [
                    "noise=50.0", "noise~min=40.0", "noise~max=61.0",
                ])
        }
    }

    /// A cell is what an app posted. The limit is that of java.time.ZoneOffset, ±18:00.
    @Test(
        arguments: [
            ("64800000", "2026-11-22T01:12:00.000"), ("-64800000", "2026-11-20T13:12:00.000"), ("64801000", nil),
            ("-64801000", nil), ("9000000000000000", nil), ("-9223372036854775808", nil), ("an hour", nil),
        ] as [(String, String?)]) func anOffsetThatNoClockHasIsUnknown(cell: String, local: String?) async throws
    {
        let cells = ["timezoneOffset": cell, "responseTime": "1795245120000", "mood": "4"]
        try await withESMira([("26011", cells)]) { whole, _ in
            let answered = try whole.record(of: whole.participants[0]).submissions.map(\.answered)
            #expect(answered.map(\.local) == [local])
            #expect(answered.map(\.utc) == ["2026-11-21T07:12:00.000Z"])
        }
    }

    @Test(arguments: ["esmira", "mystudies"], [false, true])
    func aPlayedServerWithoutTablesHasNoAnswers(platform: String, isDatabase: Bool) async throws {
        let lab = try LabFixture()
        try await lab.post()
        let path = "\(lab.directory)/\(platform).sqlite"
        try AtomicFile.write([], to: path)
        if isDatabase { try Connection(.file(path)).execute("CREATE TABLE t (c); DROP TABLE t") }
        let whole = try LabFolder(lab.directory, study: nil)
        #expect(try whole.participants.map { try whole.record(of: $0).submissions.count } == [1])
    }

    @Test func aRunOfFDAMyStudiesBecomesAnswers() async throws {
        let lab = try LabFixture()
        let store = try MyStudiesStore(.file(lab.directory + "/mystudies.sqlite"))
        _ = try await store.enroll("key-1", study: "EXAMPLE", token: nil, sharing: "NA", at: LabFixture.now)
        let participant = try #require(try await store.participant("key-1"))
        let body = """
            {"metadata":{"name":"Diary"},"data":{"startTime":"2026-11-25T09:00:00.000+0100",
             "endTime":"2026-11-25T09:01:00.000+0100","results":[
              {"resultType":"scale","key":"mood","startTime":"2026-11-25T09:00:00.000+0100",
               "endTime":"2026-11-25T09:00:30.000+0100","skipped":false,"value":7}]}}
            """
        for text in [body, #"{"data":{}}"#] {
            _ = try await store.keep(
                run: Array(text.utf8), of: participant.id, activity: "Diary", version: "1.0", at: LabFixture.now)
        }
        let whole = try LabFolder(lab.directory, study: "EXAMPLE", studyFiles: [LabFixture.root + "/studies/mystudies"])
        #expect(whole.latest == LabFixture.now)
        let record = try whole.record(of: try #require(whole.participants.first))
        let submission = try #require(record.submissions.first)
        #expect(record.participant.id == "key-1" && submission.task == "Diary")
        #expect(
            submission.opened?.local == "2026-11-25T09:00:00.000"
                && submission.answered.utc == "2026-11-25T08:01:00.000Z")
        #expect(submission.answers.map(\.value) == ["7"])
        #expect(record.issues.contains { $0.kind == .unreadable && $0.text.contains("run 2") })
    }

    /// Who leaves FDA MyStudies has no key from then on; a deletion takes the runs as well.
    @Test func ofAParticipantWhoLeftOnlyKeptRunsAreListed() async throws {
        let lab = try LabFixture()
        let store = try MyStudiesStore(.file(lab.directory + "/mystudies.sqlite"))
        for key in ["key-1", "key-2"] {
            _ = try await store.enroll(key, study: "EXAMPLE", token: nil, sharing: "NA", at: LabFixture.now)
        }
        let left = try #require(try await store.participant("key-1"))
        let body = Array(#"{"data":{"endTime":"2026-11-25T09:01:00.000+0100","results":[]}}"#.utf8)
        _ = try await store.keep(
            run: body, of: left.id, activity: "Diary", version: "1.0", at: LabFixture.now)
        try await store.withdraw(left.id, forgetsKey: true, deletes: false, at: LabFixture.now)
        let folder = { try LabFolder(lab.directory, study: nil, studyFiles: []).participants.map(\.id) }
        let listed = try folder()
        #expect(listed.count == 2 && listed.contains("key-2") && !listed.contains("key-1"))
        let short = try LabFolder(lab.directory, study: nil)
        #expect(try short.record(of: short.participants[listed[0] == "key-2" ? 1 : 0]).submissions.count == 1)
        // Recordings have the key, of which the short name is made.
        try await lab.upload("000001-magnetometer.csv", [1], of: "key-1", study: "EXAMPLE")
        let joined = try LabFolder(lab.directory, study: nil)
        #expect(joined.participants.map(\.id) == ["key-1", "key-2"])
        let records = try joined.participants.map { try joined.record(of: $0) }
        #expect(records.map(\.submissions.count) == [1, 0] && records.map(\.recordings.count) == [1, 0])
        try await store.withdraw(left.id, forgetsKey: true, deletes: true, at: LabFixture.now)
        #expect(try folder() == ["key-1", "key-2"], "the recording stays")
    }

    /// The device's reports have the key that the server has forgotten.
    @Test func theRunsOfAParticipantWhoLeftStayWithTheirPrompts() async throws {
        let lab = try LabFixture()
        let store = try MyStudiesStore(.file(lab.directory + "/mystudies.sqlite"))
        _ = try await store.enroll("key-1", study: LabFixture.study, token: nil, sharing: "NA", at: LabFixture.now)
        let left = try #require(try await store.participant("key-1"))
        let body = Array(#"{"data":{"endTime":"2026-11-25T09:01:10.000+0100","results":[]}}"#.utf8)
        _ = try await store.keep(run: body, of: left.id, activity: "Diary", version: "1.0", at: LabFixture.now)
        try await lab.report(LabFixture.prompt("Diary/1", task: "Diary"), of: "key-1")
        try await store.withdraw(left.id, forgetsKey: true, deletes: false, at: LabFixture.now)
        let whole = try LabFolder(lab.directory, study: nil, studyFiles: [])
        #expect(whole.participants.map(\.id) == ["key-1"])
        let record = try whole.record(of: whole.participants[0])
        #expect(record.submissions.map(\.id) == ["mystudies-1"] && record.prompts.count == 1)
    }

    /// What manifests name as delivered: submissions that are not here, and whether each is a hole.
    private static func missing(_ directory: String) throws -> [String] {
        let whole = try LabFolder(directory, study: nil, studyFiles: [])
        let items = try whole.participants.flatMap { person in
            try whole.record(of: person).missing.map { (person.id, $0) }
        }
        return items.filter { $0.1.kind == .submission }.map { "\($0) \($1.name) \($1.state) \($1.isHole)" }
    }

    /// Of key-1 one run is here and one lost; key-2 enrolled at another server. Who leaves may have the runs deleted;
    /// one whom the staff withdrew before keeps the key.
    @Test(arguments: [true, false]) func aRunThatThePlayedServerTookAndLostIsAHole(forgetsKey: Bool) async throws {
        let lab = try LabFixture()
        let store = try MyStudiesStore(.file(lab.directory + "/mystudies.sqlite"))
        _ = try await store.enroll("key-1", study: LabFixture.study, token: nil, sharing: "NA", at: LabFixture.now)
        let participant = try #require(try await store.participant("key-1"))
        let body = Array(#"{"data":{"endTime":"2026-11-25T09:01:10.000+0100","results":[]}}"#.utf8)
        _ = try await store.keep(run: body, of: participant.id, activity: "Diary", version: "1.0", at: LabFixture.now)
        for key in ["key-1", "key-2"] {
            try await lab.report("", of: key)
            try await lab.manifest(
                try key == "key-1" ? LabFixture.submissions(body, [1]) : LabFixture.submissions([2]), of: key)
        }
        for body in [body, [1]] { try await lab.notePosted(body) }
        let elsewhere = "key-2 answers-0 delivered false"
        #expect(try Self.missing(lab.directory) == ["key-1 answers-1 delivered true", elsewhere])
        try await store.withdraw(participant.id, forgetsKey: forgetsKey, deletes: true, at: LabFixture.now)
        let deleted = ["key-1 answers-0 delivered false", "key-1 answers-1 delivered false"]
        #expect(try Self.missing(lab.directory) == deleted + [elsewhere])
    }

    /// P9 has sent a recording here, and its answers to another server.
    @Test func aDatasetThatThePlayedServerTookAndLostIsAHole() async throws {
        let lab = try LabFixture()
        let store = try ESMiraStore(.file(lab.directory + "/esmira.sqlite"))
        try await store.transaction { tables in
            try tables.save(ESMiraUser(name: Self.participant, number: 1, joined: 0), of: 2601)
        }
        try await lab.manifest(try LabFixture.submissions([1], [2]), of: Self.participant, study: "2601")
        try await lab.notePosted([1])
        try await lab.upload("000001-magnetometer.csv", [1], of: "P9", study: "2601")
        try await lab.manifest(try LabFixture.submissions([3]), of: "P9", study: "2601")
        #expect(
            try Self.missing(lab.directory) == [
                "P9 answers-0 delivered false", "\(Self.participant) answers-1 delivered true",
            ])
    }

    /// LabKey/mobileAppStudy e740c28, `MobileAppStudyManager.storeMultiValuedResults`: a row with a column for each
    /// question, for each round of the form. A list without lists in it is a task's.
    @Test(
        arguments: [
            (
                #"{"resultType":"grouped","key":"before","value":[[WEEKS,WELL]]}"#,
                ["before", "weeks=45", "well="]
            ),
            (#"{"resultType":"grouped","key":"before","value":[[WEEKS],[WEEKS]]}"#, ["before"]),
            (#"{"resultType":"grouped","key":"before","value":[]}"#, ["before"]),
            (#"{"resultType":"fetalKickCounter","key":"kicks","value":[WEEKS]}"#, ["kicks"]),
            (
                #"WELL,{"resultType":"grouped","key":"before","value":[[{"key":"well","value":true}]]}"#,
                ["well=", "before"]
            ),
        ] as [(String, [String])]) func questionsOfAFormAreAnswers(results: String, items: [String]) async throws
    {
        let lab = try LabFixture()
        let store = try MyStudiesStore(.file(lab.directory + "/mystudies.sqlite"))
        _ = try await store.enroll("key-1", study: "EXAMPLE", token: nil, sharing: "NA", at: LabFixture.now)
        let participant = try #require(try await store.participant("key-1"))
        let filled =
            results
            .replacing("WEEKS", with: #"{"resultType":"numeric","key":"weeks","skipped":false,"value":45}"#)
            .replacing("WELL", with: #"{"resultType":"boolean","key":"well","skipped":true,"value":[]}"#)
        let body = #"{"data":{"endTime":"2026-11-25T09:01:00.000+0100","results":[\#(filled)]}}"#
        _ = try await store.keep(
            run: Array(body.utf8), of: participant.id, activity: "Welcome", version: "1.0", at: LabFixture.now)
        let whole = try LabFolder(lab.directory, study: "EXAMPLE", studyFiles: [LabFixture.root + "/studies/mystudies"])
        let answers = try #require(try whole.record(of: whole.participants[0]).submissions.first).answers
        let texts = answers.map { $0.value.hasPrefix("[") ? $0.item : "\($0.item)=\($0.value)" }
        #expect(texts == items)
        let columns = try whole.items()
        #expect(answers.allSatisfy { columns.contains($0.item) })
    }
}
