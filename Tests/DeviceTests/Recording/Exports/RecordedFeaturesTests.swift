// SPDX-License-Identifier: Apache-2.0
import Features
import Testing

@testable import Base
@testable import Device
@testable import Exports

/// What a device computed itself, as minutes: each second of a minute counts once, whatever the length of the
/// device's epochs (docs/features.md: multiples of 5 s that divide 15 min).
@Suite struct RecordedFeaturesTests {
    private static let start = Instant(seconds: 1_795_251_600)  // 2026-11-21T09:00:00Z

    /// Rows of that many seconds from the start on, where they begin and what they say.
    private static func file(
        _ bench: Workbench, _ name: String, length: Int, _ rows: [(at: Int, value: Double, coverage: Double)]
    ) throws -> RecordedFile {
        var text = "# studyd\n#units g,1\ntime,uptime,enmo,coverage\n"
        for row in rows {
            text += "\((start + .seconds(row.at)).rfc3339()),\(100 + row.at),\(row.value),\(row.coverage)\n"
        }
        try bench.write(name, Array(text.utf8))
        var note = RecordingDescription(fileName: name, contentType: "text/csv", countedUnit: .epochs)
        (note.kind, note.format, note.nominalRate) = ("features", "features", 1 / Double(length))
        return try RecordedFile("\(bench.path)/\(name)", named: name, described: note)
    }

    private static func minutes(_ files: [RecordedFile]) throws -> [FeatureRow] {
        let stream = RecordedFeatures(files, epoch: .minute, columns: [FeatureColumn("enmo", "g", decimals: 4)])
        var rows: [FeatureRow] = []
        while let row = try stream.next() { rows.append(row) }
        return rows
    }

    @Test(arguments: [1, 5, 10, 15, 20, 25, 30, 45, 50, 60])
    func aMinuteIsTheMeanOfItsSeconds(length: Int) throws {
        let bench = Workbench()
        let values = (0..<900 / length).map { Double($0 * $0 % 17) }
        let rows = try Self.minutes([
            Self.file(bench, "f.csv", length: length, values.indices.map { ($0 * length, values[$0], 1) })
        ])
        #expect(rows.map { ($0.epoch.lowerBound - Self.start).seconds } == (0..<15).map { Double($0 * 60) })
        for (minute, row) in rows.enumerated() {
            let mean = (0..<60).reduce(0) { $0 + values[(minute * 60 + $1) / length] } / 60
            #expect(abs((row.values[0] ?? -1) - mean) < 1e-9 && abs(row.coverage - 1) < 1e-9, "\(minute): \(row)")
        }
    }

    /// 45 s each: of three minutes a quarter, a half and three quarters are of the row that began before.
    @Test func aRowInTwoMinutesCountsInEachByItsPart() throws {
        let bench = Workbench()
        let file = try Self.file(bench, "f.csv", length: 45, [(0, 1, 1), (45, 0, 1), (90, 0, 1), (135, 0, 1)])
        let rows = try Self.minutes([file])
        #expect(rows.map(\.coverage) == [1, 1, 1] && rows.map { $0.values[0] } == [0.75, 0, 0])
    }

    /// A file ends within an epoch, and the next begins in it: both have a row of it, each with its share.
    @Test func twoFilesThatShareAnEpochMakeOneRowOfAMinute() throws {
        let bench = Workbench()
        let first = try Self.file(bench, "f.csv", length: 45, [(0, 1, 1), (45, 4, 0.2)])
        let second = try Self.file(bench, "g.csv", length: 45, [(45, 2, 0.8), (135, 3, 1)])
        let rows = try Self.minutes([first, second])
        #expect(rows.map { ($0.epoch.lowerBound - Self.start).seconds } == [0, 60, 120])
        let shares = [1.0, 0.5, 0.75]
        for (row, share) in zip(rows, shares) { #expect(abs(row.coverage - share) < 1e-9, "\(row)") }
        // 45 s of 1, and of 15 s a fifth of 4 and four fifths of 2.
        #expect(abs((rows[0].values[0] ?? 0) - (45 + 3 * 4 + 12 * 2) / 60) < 1e-9)
    }

    @Test(arguments: [90, 180, 900]) func aFileOfLongerEpochsIsPassedOver(length: Int) throws {
        let bench = Workbench()
        #expect(try Self.minutes([Self.file(bench, "f.csv", length: length, [(0, 1, 1)])]).isEmpty)
    }
}
