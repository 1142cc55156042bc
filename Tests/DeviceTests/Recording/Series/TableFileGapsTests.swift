// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Device
@testable import Exports

/// Where rows are missing from one table to the next; within a table a `#gap` line says so (docs/recordings.md).
@Suite struct TableFileGapsTests {
    private static let vectors = "#device chip at i2c-1, nominally 10.0 per second\n#units uT\ntime,uptime,x\n"
    private static let levels =
        "#device sound at hw, nominally 100.0 per second\n#units dB\ntime,uptime,LAeq\n#levels 0 dBFS = sine\n"
    private static let events = "time,uptime,button\n"

    /// Two tables of a row each; those of one boot have the same `boot`.
    private static func files(
        _ bench: Workbench, _ head: String, _ rows: [String], boots: [String?]
    ) throws -> [RecordedFile] {
        try zip(rows, boots).enumerated().map { place, file in
            let name = "\(place).csv"
            try bench.write(name, Array("\(head)\(file.0)\n".utf8))
            var note = RecordingDescription(fileName: name, contentType: "text/csv", countedUnit: .samples)
            if let boot = file.1 { note.bootID = boot }
            return try RecordedFile("\(bench.path)/\(name)", named: name, described: file.1 == nil ? nil : note)
        }
    }

    /// The lines that the export adds; the table's rows say the same.
    private static func gaps(_ head: String, _ rows: [String], boots: [String?] = ["a", "a"]) throws -> [String] {
        let bench = Workbench()
        let files = try Self.files(bench, head, rows, boots: boots)
        let table = try CSVTable(files, window: .all)
        _ = try table.next()
        let follows = try #require(try table.next()).followsGap
        let lines = try bench.lines("out.csv") { try TextExporter.export(files, window: .all, to: $0) { _ in } }
        let gaps = lines.filter { $0.hasPrefix("#gap") }.map(String.init)
        #expect(follows == !gaps.isEmpty)
        return gaps
    }

    /// Up to 0.7 of a period late no row is missing (`CSVCheck`).
    @Test(
        arguments: [
            (vectors, "1.169000", nil), (vectors, "1.171000", "start=1.000000 end=1.171000 samples=1"),
            (vectors, "3.000000", "start=1.000000 end=3.000000 samples=19"),
            // A row covers a second of samples.
            (levels, "2.690000", nil), (levels, "2.710000", "start=1.990000 end=2.710000 samples=71"),
            (events, "9000.000000", nil),
        ] as [(String, String, String?)])
    func aRowThatComesTooLateForItsRateFollowsAGap(head: String, uptime: String, gap: String?) throws {
        let found = try Self.gaps(head, [",1.000000,5", ",\(uptime),5"])
        #expect(found == [gap].compactMap(\.self).map { "#gap \($0) reason=betweenFiles" })
    }

    /// A file may end with a `#gap` line: its time was up when the next row came. Files may be missing behind it.
    @Test(
        arguments: [
            ("3.000000", "a", nil), ("3.169000", "a", nil), ("3.171000", "a", "start=1.000000 end=3.171000 samples=21"),
            ("3.000000", "b", "end=3.000000"),
        ] as [(String, String, String?)])
    func aGapThatEndsAFileIsSaidOnce(uptime: String, boot: String, added: String?) throws {
        let own = "#gap start=1.000000 end=3.000000 samples=19 reason=overrun"
        let found = try Self.gaps(Self.vectors, [",1.000000,5\n\(own)", ",\(uptime),5"], boots: ["a", boot])
        #expect(found == [own] + [added].compactMap(\.self).map { "#gap \($0) reason=betweenFiles" })
    }

    /// The second file begins with a row without a time, which is in no window.
    @Test(arguments: [("2026-11-21T09:00:00.000Z", 1), ("", 0)])
    func aGapIsSaidBeforeTheNextRowOfTheWindow(first: String, count: Int) throws {
        let bench = Workbench()
        let rows = ["\(first),1.000000,5", ",3.000000,5\n2026-11-21T09:00:02.100Z,3.100000,5"]
        let files = try Self.files(bench, Self.vectors, rows, boots: ["a", "a"])
        let window = try ExportWindow(from: "2026-11-21T09:00:00Z", until: nil)
        let lines = try bench.lines("out.csv") { try TextExporter.export(files, window: window, to: $0) { _ in } }
        let gap = "#gap start=1.000000 end=3.000000 samples=19 reason=betweenFiles"
        #expect(lines.filter { $0.hasPrefix("#gap") }.map(String.init) == Array(repeating: gap, count: count))
        #expect(lines.last?.hasSuffix(",3.100000,5") == true)
    }

    /// Uptimes of two boots have nothing in common: the time of day tells how much is missing, or nothing does.
    @Test(arguments: [
        (vectors, "2026-11-21T09:00:00.000Z", "2026-11-21T09:00:10.000Z", "end=2.000000 samples=99"),
        (vectors, "", "2026-11-21T09:00:10.000Z", "end=2.000000"),
        (events, "2026-11-21T09:00:00.000Z", "2026-11-21T09:00:10.000Z", "end=2.000000"),
    ])
    func anotherBootFollowsAGap(head: String, before: String, after: String, gap: String) throws {
        let rows = ["\(before),1.900000,5", "\(after),2.000000,5"]
        #expect(try Self.gaps(head, rows, boots: ["a", "b"]) == ["#gap \(gap) reason=betweenFiles"])
    }

    @Test func withoutDescriptionsAnUptimeThatGoesBackIsAnotherBoots() throws {
        let rows = [",9.000000,5", ",2.000000,5"]
        #expect(try Self.gaps(Self.vectors, rows, boots: [nil, nil]) == ["#gap end=2.000000 reason=betweenFiles"])
        #expect(try Self.gaps(Self.vectors, rows, boots: ["a", "a"]) == [])
    }
}
