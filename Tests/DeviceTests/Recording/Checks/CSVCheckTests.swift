// SPDX-License-Identifier: Apache-2.0
import SystemKit
import Testing

@testable import Device

/// Each thing that `recordings verify` says of a table, and the row beside it of which it says
/// nothing. The form is that of docs/recordings.md: ten rows a second here.
@Suite struct CSVCheckTests {
    private static let head = """
        #studyd recording=42 measure=m
        #device chip at bus, nominally 10.0 per second
        #units uT,uT
        time,uptime,x,y

        """

    private static func check(
        _ rows: [String], head: String = head, end: String = "\n"
    ) throws -> (problems: [String], noise: [String]) {
        let bench = Workbench()
        try bench.write("x.csv", Array((head + rows.joined(separator: "\n") + end).utf8))
        var found = ContentCheck()
        try found.checkTable(File(bench.path + "/x.csv", .read), false, nil, hasUnits: true)
        return (found.problems, found.noise)
    }

    @Test(arguments: [
        (",1.2,1,2", ""), (",1.2,,", ""), (",1.2,-1.5,2", ""), (",1.2,1", "has 3 columns instead of 4"),
        (",1.2,1,2,3", "has 5 columns instead of 4"), (",1.2,a,2", "has a value that is not a number"),
        (",1.2,1,1e5", "has a value that is not a number"), (",,1,2", "has no uptime"), (",x,1,2", "has no uptime"),
        (",1.2e0,1,2", "has no uptime"), (",+1.2,1,2", "has no uptime"), (",4000000000,1,2", "has no uptime"),
        (",3999999999,1,2", ""),
        ("2026,1.2,1,2", "has no time"), ("soon,1.2,1,2", "is neither a row nor a comment"),
        (",1.2,1,2\u{7F}", "contains bytes that are not text"), (",1.2,1,\t2", "contains bytes that are not text"),
        ("#gap end=2", "is not a complete #gap line"), ("# a remark", ""),
    ])
    func eachDamageOfALineHasItsName(line: String, problem: String) throws {
        let found = try Self.check([",1.0,1,2", ",1.1,1,2", line]).problems
        guard !problem.isEmpty else {
            #expect(found == [])
            return
        }
        #expect(found.contains("line 7 \(problem)"), "\(found)")
    }

    @Test func threeAreNamedAndTheOthersCounted() throws {
        let damaged = [String](repeating: ",1.1,1", count: 5)
        #expect(try Self.check(Array(damaged.prefix(3))).problems.count == 3)
        #expect(
            try Self.check(damaged).problems.suffix(2) == [
                "line 7 has 3 columns instead of 4", "more damaged lines: 2",
            ])
    }

    /// Twice the distance is a row that is missing; seven tenths more are a chip's jitter.
    @Test(arguments: [
        ("1.11", ""), ("1.26", ""), ("1.28", "comes 0.180 s after the one before it"), ("1.1", "goes back in time"),
        ("1.05", "goes back in time"),
    ])
    func rowsComeInOrderAndNoneIsMissing(uptime: String, noise: String) throws {
        let found = try Self.check([",1.0,1,2", ",1.1,1,2", ",\(uptime),1,2"])
        #expect(found.problems == [])
        #expect(
            noise.isEmpty ? found.noise == [] : found.noise.count == 1 && found.noise[0].contains(noise), "\(found)")
    }

    /// Events of one moment, which have no units, are in order.
    @Test func eventsMayShareAMoment() throws {
        let head = "#studyd recording=42 measure=m\ntime,uptime,button\n"
        #expect(try Self.check([",1.0,a", ",1.0,b", ",9.0,c"], head: head).noise == [])
        #expect(try Self.check([",1.0,a", ",0.9,b"], head: head).noise == ["line 4 goes back in time"])
    }

    /// To a hundredth of a second.
    @Test(arguments: [("2.0", true), ("1.991", true), ("1.989", false), ("2.009", true), ("2.011", false)])
    func theRowBehindAGapIsTheOneThatItNames(uptime: String, isRight: Bool) throws {
        let rows = [",1.0,1,2", ",1.1,1,2", "#gap start=1.1 end=2.0 samples=8 reason=chipOverrun", ",\(uptime),1,2"]
        let found = try Self.check(rows)
        #expect(found.problems == (isRight ? [] : ["line 8 is not the one named by the #gap line before it"]))
        #expect(found.noise == [])
    }

    @Test(
        arguments: [
            ("2026-11-21T10:00:01.05Z", nil), ("2026-11-21T10:00:01.2Z", "has a time that contradicts its uptime"),
            ("2026-11-21T09:59:59.15Z", nil), ("2026-11-21T09:59:59.0Z", "has a time that contradicts its uptime"),
            ("", "has a time where others have none, or none where they have one"),
        ] as [(String, String?)])
    func timesGoWithUptimesToASecond(time: String, problem: String?) throws {
        let found = try Self.check(["2026-11-21T10:00:00Z,1.0,1,2", "\(time),1.1,1,2"])
        #expect(found.problems == (problem.map { ["line 6 \($0)"] } ?? []))
    }

    @Test func theHeadIsThereAndTheEndIsWhole() throws {
        let whole = [",1.0,1,2"]
        #expect(try Self.check(whole, end: "").problems == ["the last line is truncated"])
        let nameless = Self.head.split(separator: "\n").dropFirst().joined(separator: "\n") + "\n"
        #expect(
            try Self.check(whole, head: nameless).problems
                == ["the line #studyd, which begins every recording, is missing"])
        let found = try Self.check(whole, head: "#studyd recording=42 measure=m\n").problems
        #expect(found.last == "the header line time,uptime,... is missing")
    }
}
