// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent
@testable import Study

/// `decisions.csv` of a dataset against the log: every cell of what the export writes.
@Suite struct DecisionTableCheckTests {
    /// 2027-01-15T09:00:00Z.
    private static let due = Instant(seconds: 1_800_003_600)
    private static let enrolment = Enrolment(
        id: "e1", studyID: "s", participant: ParticipantID("P1"), condition: nil, instant: due - .seconds(172_800),
        local: LocalDateTime(due - .seconds(172_800), offset: 3600), seed: [UInt8](repeating: 0, count: 32))

    private static let columns = [
        "id", "enrolment", "decision", "rule", "task", "due_utc", "due_local", "utc_offset", "decided_utc",
        "decided_local", "day", "result", "available", "reasons", "probability", "treatment", "draw", "budget_day",
        "budget_allowance", "budget_spent", "budget_expected", "budget_seen", "effort", "effort_coverage",
        "effort_from_utc", "effort_to_utc", "effort_recordings", "outcome_feature", "outcome", "outcome_observed",
        "outcome_missing", "coverage", "rules",
    ]
    /// A point with everything, and one that was missed.
    private static let rows = [
        [
            "P1", "e1", "1", "walk", "moment", "2027-01-15T09:00:00.000Z", "2027-01-15T10:00:00.000", "+01:00",
            "2027-01-15T09:00:05.000Z", "2027-01-15T10:00:05.000", "3", "control", "1", "", "0.5", "0", "0.75",
            "20833", "4", "0.5", "6.25", "2", "0.02", "0.95", "2027-01-15T08:50:00.000Z", "2027-01-15T09:00:00.000Z",
            "3 4", "effort", "0.03", "1", "", "0.9", "abc",
        ],
        [
            "P1", "e1", "2", "walk", "moment", "2027-01-15T09:30:00.000Z", "2027-01-15T10:30:00.000", "+01:00",
            "2027-01-15T09:40:00.000Z", "2027-01-15T10:40:00.000", "3", "missed", "0", "device-off", "0", "0",
        ] + [String](repeating: "", count: 13) + ["0", "", "", "abc"],
    ]

    private static func row(
        _ number: Int64, _ kind: String, _ body: String, wall: Instant = due, boot: String = "a", at: Double = 100
    ) throws -> LoggedEvent {
        LoggedEvent(
            sequence: number,
            stamp: EventStamp(
                wall: wall, monotonic: MonotonicTime(nanoseconds: 0) + .seconds(at), bootID: boot, zoneOffset: 0,
                enrolment: "e1"),
            event: try StudyEvent(kind: kind, body: body))
    }

    private static let first =
        #"{"decision":{"rule":"walk","index":1,"task":"moment","due":1800003600000000000,"at":1800003605000000000,"#
        + #""local":[20833,36000000000000],"result":"control","available":true,"reasons":[],"state":{"effort":"#
        + #"{"value":0.02,"coverage":0.95,"from":1800003000000000000,"to":1800003600000000000,"recordings":[3,4]}},"#
        + #""probability":0.5,"label":"rule walk/1","draw":0.75,"budget":{"day":20833,"allowance":4,"spent":0.5,"#
        + #""expected":6.25,"seen":2},"outcome":"effort","rules":"abc"}}"#
    private static let missed =
        #"{"decision":{"rule":"walk","index":2,"task":"moment","due":1800005400000000000,"at":1800006000000000000,"#
        + #""local":[20833,37800000000000],"result":"missed","available":false,"reasons":["device-off"],"#
        + #""rules":"abc"}}"#
    private static let outcome =
        #"{"outcome":{"rule":"walk","index":1,"feature":"effort","from":1800003600000000000,"#
        + #""to":1800004200000000000,"at":1800004300000000000,"value":0.03,"coverage":0.9,"rules":"abc"}}"#

    private static func log() throws -> [LoggedEvent] {
        [
            try row(1, "decided", first), try row(2, "outcomeMeasured", outcome), try row(3, "decided", missed),
        ]
    }

    private static func check(
        _ rows: [[String]], _ log: [LoggedEvent], columns: [String] = columns
    ) throws -> (decided: Set<DecisionTableCheck.Key>, added: [String]) {
        let text = ([columns] + rows).map { $0.joined(separator: ",") + "\n" }.joined()
        let table = try SeparatedTable(parsing: Array(text.utf8), file: "decisions.csv")
        return try DecisionTableCheck(table).check(log, of: enrolment)
    }

    @Test func theTableOfTheLogIsRight() throws {
        let (decided, added) = try Self.check(Self.rows, Self.log())
        #expect(decided.count == 2 && added == [])
    }

    @Test(arguments: [0, 1]) func eachChangedCellIsFound(place: Int) throws {
        for (index, column) in Self.columns.enumerated().dropFirst(4) {
            let cell = Self.rows[place][index]
            // A rule of another name is another decision.
            for other in Set([cell + "1", ""]).subtracting([cell]) {
                var rows = Self.rows
                rows[place][index] = other
                let error = #expect(throws: ProofDifference.self, "\(column)") { try Self.check(rows, Self.log()) }
                let words = "\(column) is \(other.isEmpty ? "empty" : other) in decisions.csv"
                #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
            }
        }
    }

    @Test func columnsThatWereAddedAreNamedAndNoFault() throws {
        let (decided, added) = try Self.check(
            Self.rows.map { $0 + ["1", "2"] }, Self.log(), columns: Self.columns + ["mood", "season"])
        #expect(decided.count == 2 && added == ["mood", "season"])
    }

    @Test(arguments: [["draw"], ["mood", "mood"]]) func aColumnThatComesTwiceIsAFault(_ more: [String]) throws {
        let error = #expect(throws: ProofDifference.self) {
            try Self.check(Self.rows.map { $0 + ["1", "1"] }, Self.log(), columns: Self.columns + more)
        }
        #expect(error?.description == "decisions.csv has a column '\(more[0])' twice")
    }

    /// Due, decided, offset and day, alone and together; then with the draw.
    @Test(arguments: [([6], true), ([9], true), ([7], true), ([10], true), ([6, 7, 9, 10], true), ([6, 16], false)])
    func whereOnlyTheWallClockDiffersTheRemedyIsAnotherExport(places: [Int], isSaid: Bool) throws {
        var rows = Self.rows
        for place in places { rows[0][place] += "1" }
        let error = #expect(throws: ProofDifference.self) { try Self.check(rows, Self.log()) }
        let words = "; exported by an older version or with other time zone data: export it again"
        #expect(error?.description.hasSuffix(words) == isSaid, "\(error?.description ?? "")")
    }

    /// A feature may be called like a column; then its own begin with `feature.`.
    @Test func aFeatureThatIsCalledLikeAColumnHasItsOwn() throws {
        let columns = Self.columns.map { $0.hasPrefix("effort") ? "feature.outcome" + $0.dropFirst(6) : $0 }
        let renamed = Self.first.replacing(#""state":{"effort""#, with: #""state":{"outcome""#)
        var log = try Self.log()
        log[0] = try Self.row(1, "decided", renamed)
        #expect(try Self.check(Self.rows, log, columns: columns).decided.count == 2)
    }

    /// Tokyo from the moment that an anchor of the boot gives the row, whose own time is not right.
    @Test(arguments: [(-1.0, true), (1, false)])
    func afterAJourneyTheWallClockIsThatOfTheNewZone(seconds: Double, isTokyo: Bool) throws {
        let moved = Self.due + .seconds(seconds)
        let anchor = ClockAnchor(
            monotonic: MonotonicTime(nanoseconds: 20_000_000_000), instant: moved + .seconds(10), source: .kernel,
            uncertainty: .milliseconds(1))
        let (_, body) = try StudyEvent.anchored(anchor: AnchorRecord(anchor)).stored()
        let log = [
            try Self.row(
                1, "zoneChanged", #"{"from":"Europe/Berlin","to":"Asia/Tokyo"}"#, wall: Instant(seconds: 1), boot: "b",
                at: 10),
            try Self.row(2, "anchored", body, boot: "b", at: 20), try Self.row(3, "decided", Self.first),
            try Self.row(4, "outcomeMeasured", Self.outcome),
        ]
        var row = Self.rows[0]
        row[9] = "2027-01-15T18:00:05.000"
        if isTokyo { (row[6], row[7]) = ("2027-01-15T18:00:00.000", "+09:00") }
        #expect(try Self.check([row], log).decided.count == 1)
        row[9] = "2027-01-15T10:00:05.000"
        #expect(throws: ProofDifference.self) { try Self.check([row], log) }
    }
}
