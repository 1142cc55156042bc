// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Device
@testable import Exports

@Suite struct NMEATrackTests {
    /// A receiver before its first fix tells no time: each epoch has those of our line before it (docs/recordings.md).
    @Test func anEpochHasTheTimesAndTheGapOfTheLinesBeforeIt() throws {
        let bench = Workbench()
        let bodies = (0..<4).flatMap { second -> [String] in
            (second == 2 ? ["PSTDY,G,\(100 + second).000000,61,deviceError"] : [])
                + ["PSTDY,E,\(100 + second).000000,2026-11-21T09:00:0\(second).000000Z", "GPRMC,,V,,,,,,,,,,N"]
        }
        try bench.write("void.nmea", bodies.flatMap(NMEAWalk.sentence))
        let track = try NMEATrack([RecordedFile(bench.path + "/void.nmea")])
        var epochs: [NMEATrack.Epoch] = []
        while let epoch = try track.next() { epochs.append(epoch) }
        #expect(epochs.map(\.uptime) == [100, 101, 102, 103])
        #expect(epochs.map(\.followsGap) == [false, false, true, false])
        let start = try Instant(rfc3339: "2026-11-21T09:00:00Z")
        #expect(epochs.map { $0.time.map { ($0 - start).seconds } } == [0, 1, 2, 3])
        #expect(epochs.allSatisfy { $0.isRecordersTime && $0.position == nil })
    }

    /// Some 80 kB: a day has tens of megabytes, which are not to be in memory at once.
    @Test func aTrackIsReadPieceByPiece() throws {
        let bench = Workbench()
        let bodies = (0..<1000).flatMap { second in
            ["PSTDY,E,\(100 + second).000000,2026-11-21T09:00:00.000000Z", "GPRMC,,V,,,,,,,,,,N"]
        }
        try bench.write("void.nmea", bodies.flatMap(NMEAWalk.sentence))
        let track = try NMEATrack([RecordedFile(bench.path + "/void.nmea")])
        #expect(track.progress == 0)
        _ = try track.next()
        #expect(track.progress > 0 && track.progress < 0.5)
        while try track.next() != nil {}
        #expect(track.progress == 1)
    }

    /// Another receiver's file has none of our lines; a GGA has no date.
    @Test func aFileHasNothingOfTheTimesOfTheOneBefore() throws {
        let bench = Workbench()
        let ours = ["PSTDY,E,100.000000,2026-11-21T09:00:00.000000Z", "GPRMC,,V,,,,,,,,,,N"]
        try bench.write("ours.nmea", ours.flatMap(NMEAWalk.sentence))
        try bench.write("theirs.nmea", NMEAWalk.sentence("GPGGA,,,,,,0,,,,,,,,"))
        let track = try NMEATrack(["ours", "theirs"].map { try RecordedFile(bench.path + "/\($0).nmea") })
        var times: [Double?] = []
        while let epoch = try track.next() {
            times.append(epoch.uptime)
            #expect((epoch.time == nil) == (epoch.uptime == nil))
        }
        #expect(times == [100, nil])
    }

    /// A receiver that tells once a second, or every ten: an epoch that comes as usual follows none, one that is a
    /// whole epoch late does.
    @Test(arguments: [
        ([0, 1], 2, "a", false), ([0, 1], 3, "a", true), ([0, 10], 20, "a", false), ([0, 10], 30, "a", true),
        ([0, 1], 2, "b", true),
    ])
    func whatIsMissingBetweenFilesIsAGap(seconds: [Int], next: Int, boot: String, isGap: Bool) throws {
        let bench = Workbench()
        let files = try [(seconds, "a"), ([next], boot)].enumerated().map { place, file in
            let name = "\(place).nmea"
            try bench.write(name, NMEAWalk.log(file.0))
            var note = RecordingDescription(fileName: name, contentType: "text/plain", countedUnit: .bytes)
            note.bootID = file.1
            return try RecordedFile("\(bench.path)/\(name)", named: name, described: note)
        }
        let track = try NMEATrack(files)
        var gaps: [Bool] = []
        while let epoch = try track.next() { gaps.append(epoch.followsGap) }
        #expect(gaps == [false, false, isGap])
        let lines = try bench.lines("walk.csv") { try PositionCSVExporter.export(files, window: .all, to: $0) { _ in } }
        #expect(lines.contains("#gap") == isGap)
    }
}
