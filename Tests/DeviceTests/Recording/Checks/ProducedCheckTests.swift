// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit
import Testing

@testable import Device

/// A receiver's folder with two recordings of a device, and what its manifest names.
private final class LabFiles {
    let bench = Workbench()
    let other = Workbench()
    let target = Workbench()
    var sealed: [SealedRecording] = []
    var foreign: [SealedRecording] = []
    let produced: [ProducedFile]
    private var count = 10

    init() throws {
        target.hasDamagedDescriptions = true
        sealed = [try bench.motion(), try bench.motion()]
        foreign = [try other.motion(gap: false), try other.magneticField()]
        produced = try sealed.flatMap { one in
            try [one.path, one.descriptionPath].map { path in
                ProducedFile(
                    name: RecordingFileIndex.originalName(of: path),
                    sha256: try FileDigest.sha256(of: File(path, .read)))
            }
        }
    }

    func add(_ path: String, as name: String? = nil, changed: [UInt8]? = nil) throws {
        let file = try File(path, .read)
        count += 1
        try target.write(
            "\(count)-\(name ?? RecordingFileIndex.originalName(of: path))", changed ?? file.read(file.size(), at: 0))
    }

    func add(_ one: SealedRecording) throws {
        try add(one.path)
        try add(one.descriptionPath)
    }

    /// With its description changed, and sealed as the recorder seals.
    func add(
        _ one: SealedRecording, as name: String? = nil, change: (inout RecordingDescription) -> Void
    ) throws {
        var description = one.description
        change(&description)
        try add(one.path, as: name)
        let text = try description.digestedText()
        try add(one.descriptionPath, as: name.flatMap(RecordingName.init)?.description, changed: text)
    }

    /// By what files say by themselves, and by the manifest; names of what is missing.
    func problems() throws -> (alone: [String], together: [String], missing: [String]) {
        let index = RecordingFileIndex()
        var check = ProducedCheck(produced)
        var alone: [String] = []
        var together: [String] = []
        for path in try RecordingSelection.files([target.path]) {
            alone += try FileInspector.problems(of: path, in: index)
        }
        for path in try RecordingSelection.all([target.path]) {
            together += try check.checkFile(at: path).map { [$0] } ?? []
        }
        return (alone, together, check.missing)
    }
}

@Suite struct ProducedCheckTests {
    @Test func storedNamesAreTheDevicesOwn() {
        for (stored, name) in [
            ("17-000001-accelerometer.cwa", "000001-accelerometer.cwa"), ("a/b/1-000001-x.json", "000001-x.json"),
            ("1234567-000001-sound.flac", "000001-sound.flac"),
            ("000001-accelerometer.cwa~2", "000001-accelerometer.cwa"),
            ("000001-accelerometer.cwa", "000001-accelerometer.cwa"), ("17-walk.cwa", "17-walk.cwa"),
            ("123456-walk.cwa", "123456-walk.cwa"), ("17", "17"), ("-000001-x.cwa", "-000001-x.cwa"),
        ] { #expect(RecordingFileIndex.originalName(of: stored) == name) }
    }

    @Test func aReceiversFolderIsVerifiedUnderItsOwnNames() throws {
        let lab = try LabFiles()
        for one in lab.sealed { try lab.add(one) }
        // Of another device, under the same name.
        try lab.add(lab.foreign[0])
        let files = try RecordingSelection.files([lab.target.path])
        #expect(files.count == 3)
        #expect(try lab.problems().alone == [])
        let index = RecordingFileIndex()
        for file in files { #expect(try FileInspector.summary(of: file, in: index).state == "sealed", "\(file)") }
    }

    /// By a manifest and by the log, or by two manifests. What was never delivered is not missing.
    @Test func whatIsNamedTwiceIsMissingOnce() {
        let (one, other) = (ProducedFile(name: "a", sha256: "1"), ProducedFile(name: "b", sha256: "2"))
        let unexpected = ProducedFile(name: "c", sha256: "3", isExpected: false)
        let namesake = ProducedFile(name: "a", sha256: "4")
        #expect(ProducedCheck([one, other, one, unexpected, namesake, one]).missing == ["a", "b", "a"])
        #expect(ProducedCheck([unexpected]).missing == [])
    }

    @Test func whatIsWholeIsWholeTogether() throws {
        let lab = try LabFiles()
        for one in lab.sealed { try lab.add(one) }
        let (alone, together, missing) = try lab.problems()
        #expect(alone.isEmpty && together.isEmpty && missing.isEmpty)
    }

    /// The six of docs/recordings.md.
    @Test func eachOfSixDamagesThatNoFileShowsIsFound() throws {
        let first = "000001-accelerometer.cwa"
        // 1: gone.
        var lab = try LabFiles()
        try lab.add(lab.sealed[0])
        var found = try lab.problems()
        #expect(found.alone.isEmpty && found.together.isEmpty)
        #expect(found.missing == ["000002-accelerometer.cwa", "000002-accelerometer.json"])
        // 2: another device's in its place.
        lab = try LabFiles()
        try lab.add(lab.foreign[0])
        try lab.add(lab.sealed[1])
        found = try lab.problems()
        #expect(found.alone.isEmpty && found.missing == [first, "000001-accelerometer.json"])
        #expect(found.together.count == 2 && found.together[0].hasPrefix("it is not the \(first) that was produced"))
        // 3: another device's beside them.
        lab = try LabFiles()
        for one in lab.sealed + [lab.foreign[1]] { try lab.add(one) }
        found = try lab.problems()
        #expect(found.alone.isEmpty && found.missing.isEmpty && found.together.count == 2)
        #expect(found.together[0].contains("was added, or is another device's"))
        // 4: a description edited and sealed again.
        lab = try LabFiles()
        try lab.add(lab.sealed[0]) { $0.participant = "P999" }
        try lab.add(lab.sealed[1])
        found = try lab.problems()
        #expect(found.missing == ["000001-accelerometer.json"])
        #expect(found.together.count == 1 && found.together[0].contains("it is not the 000001-accelerometer.json"))
        // 5: two exchanged.
        lab = try LabFiles()
        try lab.add(lab.sealed[1], as: first) { ($0.number, $0.relativePath) = (1, first) }
        try lab.add(lab.sealed[0], as: "000002-accelerometer.cwa") {
            ($0.number, $0.relativePath) = (2, "000002-accelerometer.cwa")
        }
        found = try lab.problems()
        #expect(found.together.contains("it is 000002-accelerometer.cwa, under another name"))
        #expect(found.together.contains("it is \(first), under another name"))
        // 6: one shown as another day's.
        lab = try LabFiles()
        for one in lab.sealed { try lab.add(one) }
        try lab.add(lab.sealed[0], as: "000003-accelerometer.cwa") {
            ($0.number, $0.relativePath) = (3, "000003-accelerometer.cwa")
        }
        found = try lab.problems()
        #expect(found.missing.isEmpty && found.together.contains("it is \(first), under another name"))
    }
}
