// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Testing

@testable import Lab

/// Tables as docs/features.md has them.
@Suite struct WornTimeTests {
    /// A row for each minute; nil is not known.
    static func table(from start: Instant, every seconds: Int = 60, _ worn: [Int?]) -> String {
        let rows = worn.enumerated().map { index, value in
            let time = start + .seconds(seconds * index)
            return
                "\(time.rfc3339(offset: 0)),\(100 + seconds * index).000000,0.01234,\(value.map(String.init) ?? ""),1.000\n"
        }
        return """
            #studyd recording=2 measure=features
            #device LSM6DSO at i2c-1 0x6a, nominally 0.016666666666666666 per second
            #units g,1,1
            time,uptime,enmo,worn,coverage
            \(rows.joined())
            """
    }

    private static func days(_ text: String, name: String = "000002-features.csv", offset: Int) throws -> [String:
        WornTime]
    {
        let path = NSTemporaryDirectory() + "study-worn-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        let days = try WornTime.days(of: path, named: name, offset: offset)
        return Dictionary(uniqueKeysWithValues: days.map { ($0.key.description, $0.value) })
    }

    /// 22:58 UTC is two minutes before midnight in Berlin in winter.
    @Test func aDayIsOneOfTheParticipantsClock() throws {
        let text = Self.table(from: try Instant(rfc3339: "2026-11-25T22:58:00Z"), [1, 1, 1, 0, nil, 1])
        let berlin = try Self.days(text, offset: 3600)
        #expect(
            berlin == ["2026-11-25": WornTime(worn: 120), "2026-11-26": WornTime(worn: 120, notWorn: 60)])
        #expect(try Self.days(text, offset: 0) == ["2026-11-25": WornTime(worn: 240, notWorn: 60)])
    }

    @Test(arguments: [(5, 15), (60, 180), (900, 2700)]) func anEpochIsAsLongAsItsTableHasIt(seconds: Int, worn: Int)
        throws
    {
        let text = Self.table(from: try Instant(rfc3339: "2026-11-25T10:00:00Z"), every: seconds, [1, 1, 1])
        #expect(try Self.days(text, offset: 0) == ["2026-11-25": WornTime(worn: worn)])
    }

    @Test func aTableWithoutWearSaysNothing() throws {
        let text = Self.table(from: try Instant(rfc3339: "2026-11-25T10:00:00Z"), [1]).replacing("worn", with: "mad")
        #expect(try Self.days(text, offset: 0).isEmpty)
        #expect(throws: (any Error).self) { try Self.days("hello", offset: 0) }
    }

    @Test(arguments: [
        (WornTime(worn: 62_400, notWorn: 7500), "worn 17 h 20 min, not worn 2 h 5 min"),
        (WornTime(worn: 60), "worn 60 s"), (WornTime(worn: 60, notWorn: 1), "worn 60 s, not worn 1 s"),
        (WornTime(notWorn: 60), "worn 0 s, not worn 60 s"),
    ]) func itIsSaidInWords(time: WornTime, words: String) { #expect(time.words == words) }

    /// The page, the table, and a file that is read once.
    @Test func thePageShowsWearBesideCoverage() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let start = Instant(seconds: 1_779_990_000)
                try await LabSchemaTests.send(url, "000002-features.csv", Self.table(from: start, [1, 1, 0]))
                let description = """
                    {"kind":"features","identifier":"features","startDate":"\(start.rfc3339())","endDate":"\((start + .seconds(180)).rfc3339())",
                    "offset":"+01:00","relativePath":"000002-features.csv","samplesStored":3,"samplesLost":{}}
                    """
                try await LabSchemaTests.send(url, "000002-features.json", description)
                for _ in 0..<2 {
                    let page = try await curl(url + "/?user=ABDEG234")
                    #expect(page.contains("<small>worn 2 min 0 s, not worn 60 s</small>"))
                }
                let table = try await curl(url + "/tables/wear.csv?days=all")
                #expect(
                    table.contains("participant,day,wornSeconds,notWornSeconds\r\nABDEG234,2026-05-28,120,60\r\n"),
                    "\(table)")
            }
        }
    }
}
