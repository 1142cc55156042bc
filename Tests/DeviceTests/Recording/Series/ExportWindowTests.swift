// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Device

@Suite struct ExportWindowTests {
    @Test(arguments: [
        ("2026-11-21T09:00:30Z", "2026-11-21T09:00:40Z"), ("2026-11-21T10:00:30+01:00", "2026-11-21T10:00:40+01:00"),
        ("2026-11-21T10:00:30", "2026-11-21T10:00:40"), ("2026-11-21 10:00:30", "2026-11-21 10:00:40.0"),
    ])
    func aMomentWithoutOffsetIsTheWallClockOfTheFile(from: String, until: String) throws {
        let window = try ExportWindow(from: from, until: until)
        let start = Example.anchor.instant
        let inside = [29.9, 30, 39.9, 40].map { window.contains(start + .milliseconds(Int64($0 * 1000)), offset: 3600) }
        #expect(inside == [false, true, true, false])
        #expect(!window.contains(nil) && ExportWindow.all.contains(nil))
    }

    /// IANA's Europe/Berlin went from +02:00 to +01:00 on 25 October 2026.
    @Test func aMomentWithoutOffsetIsTheWallClockOfEachTable() throws {
        let bench = Workbench()
        let days = [("+02:00", "2026-10-24"), ("+01:00", "2026-10-26")]
        let files = try days.enumerated().map { place, day in
            let rows = ["08:30", "09:00"].map { "\(day.1)T\($0):00.000Z,,1\n" }.joined()
            try bench.write("\(place).csv", Array(("time,uptime,x\n" + rows).utf8))
            var note = RecordingDescription(fileName: "\(place).csv", contentType: "text/csv", countedUnit: .samples)
            note.offset = day.0
            return try RecordedFile("\(bench.path)/\(place).csv", named: "\(place).csv", described: note)
        }
        let table = try CSVTable(files, window: ExportWindow(from: "2026-10-26T10:00", until: nil))
        #expect(try table.next()?.time == Instant(rfc3339: "2026-10-26T09:00:00Z"))
        #expect(try table.next()?.time == nil)
    }

    @Test func aMomentWithoutOffsetIsTheWallClockOfEachTrack() throws {
        let bench = Workbench()
        let walks = [("+02:00", [0, 1]), ("+01:00", [2, 3])]
        let files = try walks.enumerated().map { place, walk in
            try bench.write("\(place).nmea", NMEAWalk.log(walk.1))
            var note = RecordingDescription(fileName: "\(place).nmea", contentType: "text/plain", countedUnit: .bytes)
            note.offset = walk.0
            return try RecordedFile("\(bench.path)/\(place).nmea", named: "\(place).nmea", described: note)
        }
        let window = try ExportWindow(from: "2026-11-21T10:00:03", until: "2026-11-21T11:00:01")
        let track = try NMEATrack(files, window: window)
        var seconds: [Int64] = []
        while let epoch = try track.next() { seconds.append((epoch.time?.seconds ?? 0) % 60) }
        #expect(seconds == [0, 3])
    }

    @Test func theMinuteIsEnoughAndNonsenseIsRefused() throws {
        #expect(
            try ExportWindow(from: "2026-11-21T10:00", until: nil)
                == ExportWindow(from: "2026-11-21T10:00:00", until: nil))
        #expect(
            try ExportWindow(from: "2026-11-21T10:00Z", until: nil)
                == ExportWindow(from: "2026-11-21T10:00:00Z", until: nil))
        for text in ["yesterday", "10:00", "2026-11-21", "2026-13-21T10:00:00Z", ""] {
            #expect(throws: FileError.self) { try ExportWindow(from: text, until: nil) }
        }
        #expect(throws: FileError.self) { try ExportWindow(from: "2026-11-21T10:00", until: "2026-11-21T10:00") }
    }
}
