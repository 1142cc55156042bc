// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study
import SystemKit
import Testing

@testable import Agent
@testable import studyd_tools

@Suite struct MadeStudyTests {
    /// A recording of somebody's voice is not made by the way.
    @Test(
        arguments: [
            [], [.sound], [.magnetometer, .sound],
        ] as [[MeasureKind]])
    func soundIsMeasuredAsLevels(measures: [MeasureKind]) throws {
        let path = MadeBoard.package + "/boards/simulated.toml"
        let board = try BoardDescription(parsing: BoundedFile.text(path), file: path)
        var request = MadeStudy.Request(study: MadeBoard.package + "/studies/sleep-and-movement.json")
        request.measures = measures
        let made = try MadeStudy(request, board: board, into: "/tmp/made")
        let planned = try made.configuration(of: "P001", "http://127.0.0.1").measures
        #expect(planned.map(\.channel) == [.accelerometer] + measures)
        let formats: [MeasureKind: RecordingFormat] = [.accelerometer: .cwa, .sound: .levels, .magnetometer: .csv]
        for measure in planned { #expect(measure.format == formats[measure.channel], "\(measure)") }
    }

    @Test(arguments: ["/tmp/made", "made"]) func aDeviceHasItsStateBelowTheFolder(folder: String) throws {
        let path = MadeBoard.package + "/boards/simulated.toml"
        let board = try BoardDescription(parsing: BoundedFile.text(path), file: path)
        let request = MadeStudy.Request(study: MadeBoard.package + "/studies/sleep-and-movement.json")
        let made = try MadeStudy(request, board: board, into: folder)
        #expect(try made.configuration(of: "P001", "http://127.0.0.1").state == folder + "/devices/P001")
    }

    /// Before anything is made: the chip has the rates of its datasheet (LIS3DH: 50 Hz, not 51).
    @Test func whatCannotBeMadeIsRefusedAtOnce() throws {
        let path = MadeBoard.package + "/boards/simulated.toml"
        let board = try BoardDescription(parsing: BoundedFile.text(path), file: path)
        func refusal(_ change: (inout MadeStudy.Request) -> Void) -> String? {
            var request = MadeStudy.Request(study: MadeBoard.package + "/studies/sleep-and-movement.json")
            change(&request)
            do {
                _ = try MadeStudy(request, board: board, into: "/tmp/made")
                return nil
            } catch { return "\(error)" }
        }
        let day = LocalDate(daysSinceEpoch: 0)
        #expect(refusal { _ in } == nil)
        #expect(refusal { $0.decisions = [.pause(day), .remove(task: "moment", day)] } == nil)
        let task = refusal { $0.decisions = [.pause(day), .remove(task: "noon", day)] }
        #expect(task?.contains("the study has no task 'noon'; use one of ") == true, "\(task ?? "")")
        let rate = refusal { $0.rate = 51 } ?? ""
        #expect(
            rate.contains("LIS3DH has no rate 51") && rate.hasSuffix("; choose another --rate, --measures or --board"))
        #expect(!rate.contains("studyd.toml"), "\(rate)")
        #expect(refusal { $0.zone = "Europe/Nowhere" } != nil)
    }

    /// Days are played without the receiver's log, which the delivery at their end reads.
    @Test(arguments: ["nmea", "motion"]) func aMissingFileOfTheBoardIsNoticedAtOnce(key: String) throws {
        let path = MadeBoard.package + "/boards/simulated.toml"
        let text = try BoundedFile.text(path) + "\n\(key) = \"none.file\"\n"
        let board = try BoardDescription(parsing: text, file: path)
        let request = MadeStudy.Request(study: MadeBoard.package + "/studies/sleep-and-movement.json")
        let error = #expect(throws: FileError.self) { try MadeStudy(request, board: board, into: "/tmp/made") }
        #expect(error.map { "\($0)" }?.contains("none.file") == true)
    }

    /// From 25 s to 105 s until an answer, another time for each of nine; every third misses the most, and the first
    /// the least.
    @Test func participantsAreNotAllAlike() {
        let made = (1...9).map(MadeStudy.participant)
        let times = made.map(\.latency)
        #expect(times.sorted() == (0..<9).map { Duration.seconds(25 + 10 * $0) })
        #expect(made.indices.allSatisfy { (made[$0].misses > 0.3) == ($0 % 3 == 2) })
        #expect(made.allSatisfy { $0.misses >= made[0].misses && $0.misses < 0.5 })
    }
}
