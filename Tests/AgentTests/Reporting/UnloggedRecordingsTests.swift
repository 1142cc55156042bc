// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit
import Testing

@testable import Agent
@testable import Device

@Suite struct UnloggedRecordingsTests {
    private func write(_ name: String, _ number: Int, of participant: String?, in study: String, _ bench: ReportBench)
        throws
    {
        var description = RecordingDescription(
            fileName: "00000\(number)-sound.flac", contentType: "audio/flac", countedUnit: .samples)
        (description.number, description.kind) = (number, "sound")
        (description.study, description.participant) = (study, participant)
        try File.makeFolder(bench.folder.recordings)
        try AtomicFile.write(description.text(), to: "\(bench.folder.recordings)/\(name)")
    }

    @Test func anOpenFileAndOneWithoutItsRowAreTheirs() async throws {
        let bench = try ReportBench()
        let unlogged = UnloggedRecordings(in: bench.folder.recordings, bench.database)
        func owners() async throws -> Set<String> { try await unlogged.owners(among: bench.database.enrolments()) }
        let study = try await bench.enrol("e1", participant: "P1").studyID
        try await bench.leave("e1")
        try await bench.enrol("e2", participant: "P2")
        try write("000003-sound.open", 3, of: nil, in: study, bench)
        try write("000004-sound.open", 4, of: "P1", in: "another", bench)
        #expect(try await owners() == [])
        try write("000001-sound.open", 1, of: "P1", in: study, bench)
        #expect(try await owners() == ["e1"])
        try write("000001-sound.json", 1, of: "P1", in: study, bench)
        FolderRemoval.remove("\(bench.folder.recordings)/000001-sound.open")
        #expect(try await owners() == ["e1"])
        try await bench.append([.recordingSealed(recording: Fixture.recording("1", .sound))])
        #expect(try await owners() == [])
        try write("000002-sound.open", 2, of: "P2", in: study, bench)
        #expect(try await owners() == ["e2"])
    }
}
