// SPDX-License-Identifier: Apache-2.0
import Foundation
import SystemKit
import Testing

@testable import Device

@Suite struct RecordingSelectionTests {
    private func inFolder(_ names: [String], _ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "selection-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for name in names { try Data("x".utf8).write(to: URL(fileURLWithPath: folder + "/" + name)) }
        try body(folder)
    }

    @Test func aFolderStandsForItsRecordings() throws {
        try inFolder(["b.cwa", "a.flac", "notes.txt", "000001-sound.csv.gz"]) { folder in
            let names = try RecordingSelection.files([folder]).map { $0.dropFirst(folder.count + 1) }
            #expect(names == ["000001-sound.csv.gz", "a.flac", "b.cwa"])
            #expect(try RecordingSelection.files([folder, folder + "/b.cwa"]).count == 3)
        }
    }

    @Test func aFolderWithoutRecordingsSaysSo() throws {
        try inFolder(["notes.txt"]) { folder in
            let error = #expect(throws: FileError.self) { try RecordingSelection.files([folder]) }
            #expect(error.map { "\($0)" }?.contains("contains no recordings") == true)
        }
    }

    @Test func filesAreTakenAsTheyAreNamed() throws {
        #expect(try RecordingSelection.files(["x.cwa", "nosuch", "x.cwa"]) == ["x.cwa", "nosuch"])
    }
}
