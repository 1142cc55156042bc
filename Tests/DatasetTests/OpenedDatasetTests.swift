// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import FoundationEssentials
import Glibc
import SystemKit
import Testing

@testable import Dataset
@testable import Lab

/// Datasets of sealed recordings: with a key they are those of the same recordings in the clear, and
/// what is placed is what the program `age` makes of the sealed file.
@Suite(.timeLimit(.minutes(10))) struct OpenedDatasetTests {
    private static let lab = AgeIdentity(secret: [UInt8](repeating: 51, count: 32))
    private static let other = AgeIdentity(secret: [UInt8](repeating: 52, count: 32))
    private static let hasAge: Bool = {
        let found = system("age --version >/dev/null 2>&1") == 0
        if !found { print("SKIPPED: the program age is not installed") }
        return found
    }()

    private func sealed(_ codes: [String] = ["P1", "P2", "P3"]) throws -> RecordedStudy {
        try RecordedStudy(codes, encryption: RecordingEncryption(to: [try #require(Self.lab).recipient]))
    }

    private func export(
        _ study: RecordedStudy, _ keys: [AgeIdentity?], to name: String = "out"
    ) throws -> (outcome: DatasetExport.Outcome, path: String) {
        let path = study.folder(name)
        let dataset = OpenedDataset(study, keys: try keys.map { try #require($0) }, in: path)
        defer { dataset.close() }
        let survey = try DatasetExport.survey(dataset.unopened)
        return (try DatasetExport(dataset, to: DatasetFolder(path), isPackage: true).run(bytes: survey.bytes), path)
    }

    private func names(_ path: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0.hasPrefix("recordings/") }.sorted()
    }

    private func text(_ path: String) throws -> String { try BoundedFile.text(path) }

    @Test func withAKeyItIsTheDatasetOfTheSameRecordingsInTheClear() throws {
        let (clear, study) = (try RecordedStudy(["P1", "P2", "P3"]), try sealed())
        let (expected, found) = (try export(clear, []), try export(study, [Self.other, Self.lab]))
        #expect(found.outcome.recordings == expected.outcome.recordings && found.outcome.recordings == 12)
        #expect(found.outcome.holes.map(\.item.name) == expected.outcome.holes.map(\.item.name))
        let files = try names(expected.path).filter { !$0.hasSuffix(".json") }
        #expect(try names(found.path).filter { !$0.hasSuffix(".json") } == files)
        for table in ["epochs", "coverage", "presses"] {
            let place = "/\(table).csv"
            guard access(expected.path + place, F_OK) == 0 else { continue }
            #expect(try text(found.path + place) == text(expected.path + place), "\(table)")
        }
        // What was opened meanwhile is gone, and a second export writes nothing.
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: found.path).allSatisfy {
                !$0.hasPrefix("studyd-opened-")
            })
        #expect(try export(study, [Self.lab]).outcome.newBytes == 0)
    }

    @Test(.enabled(if: hasAge, "needs the program age")) func whatIsPlacedIsWhatAgeMakesOfIt() throws {
        let study = try sealed(["P1"])
        let path = try export(study, [Self.lab]).path
        try AtomicFile.write(Array(try #require(Self.lab).text.utf8), to: study.folder("identity"))
        let motion = try #require(try names(path).first { $0.hasSuffix(".cwa") })
        let source = study.folder("lab-P1") + "/" + (motion.split(separator: "/").last ?? "") + ".age"
        #expect(system("age -d -i '\(study.folder("identity"))' '\(source)' | cmp - '\(path)/\(motion)'") == 0)
    }

    @Test(arguments: [nil, other]) func whatNoKeyOpensIsAHoleWithARemedy(key: AgeIdentity?) throws {
        let study = try sealed(["P1"])
        let outcome = try export(study, [key].compactMap(\.self)).outcome
        #expect(outcome.recordings == 0)
        let holes = outcome.holes.map(\.item).filter { $0.name.hasSuffix(".age") }
        #expect(holes.count == 4 && holes.allSatisfy { $0.isHole && $0.kind == .recording })
        let remedy =
            key == nil
            ? "give the key of a recipient: --key identity.txt" : "give the identity of one of its recipients"
        #expect(holes.allSatisfy { $0.state.contains(remedy) }, "\(holes.map(\.state))")
        #expect(outcome.issues.count { $0.kind == .encrypted } == 4)
        // Before anything is written, where there is no key.
        if key == nil {
            let dataset = OpenedDataset(study, keys: [], in: study.folder("x"))
            #expect(try DatasetExport.survey(dataset.unopened).holes.count == 5)
        }
    }

    @Test func aDamagedOneIsAHoleAndTheOthersAreThere() throws {
        let study = try sealed(["P1"])
        let path = study.folder("lab-P1") + "/000001-accelerometer.cwa.age"
        var bytes = try BoundedFile.read(path)
        bytes[bytes.count / 2] ^= 1
        try AtomicFile.write(bytes, to: path)
        let outcome = try export(study, [Self.lab]).outcome
        #expect(outcome.recordings == 3)
        #expect(
            outcome.holes.contains {
                $0.item.name == "000001-accelerometer.cwa.age" && $0.item.state.contains("damaged")
            })
    }

    /// The same samples to the same recipient, and yet not the file that arrived.
    @Test func oneThatWasSealedOnceMoreIsAHoleThoughTheKeyOpensIt() throws {
        let (study, other) = (try sealed(["P1"]), try sealed(["P1"]))
        let file = "lab-P1/000001-accelerometer.cwa.age"
        let (own, foreign) = (try BoundedFile.read(study.folder(file)), try BoundedFile.read(other.folder(file)))
        try #require(own != foreign && own.count == foreign.count)
        try AtomicFile.write(foreign, to: study.folder(file))
        let outcome = try export(study, [Self.lab]).outcome
        #expect(outcome.recordings == 3)
        let states = outcome.holes.map(\.item).filter { $0.name == "000001-accelerometer.cwa.age" }.map(\.state)
        #expect(states.count == 1 && states[0].contains("its SHA-256 is another than when it arrived"), "\(states)")
    }

    /// BIDS and XDF read recordings where they were opened.
    @Test func otherFormsAreTheSameToo() throws {
        let (clear, study) = (try RecordedStudy(["P1"]), try sealed(["P1"]))
        let dataset = OpenedDataset(study, keys: [try #require(Self.lab)], in: study.folder("bids"))
        _ = try BIDSExport(clear, to: DatasetFolder(clear.folder("bids"))).run(bytes: 1)
        _ = try BIDSExport(dataset, to: DatasetFolder(study.folder("bids"))).run(bytes: 1)
        dataset.close()
        func all(_ path: String) throws -> [String] {
            try FileManager.default.subpathsOfDirectory(atPath: path).sorted()
        }
        #expect(try all(study.folder("bids")) == all(clear.folder("bids")))
        let again = OpenedDataset(study, keys: [try #require(Self.lab)], in: study.folder("xdf"))
        _ = try XDFExport(clear, to: DatasetFolder(clear.folder("xdf")), window: .all).run(bytes: 1)
        _ = try XDFExport(again, to: DatasetFolder(study.folder("xdf")), window: .all).run(bytes: 1)
        again.close()
        let name = try #require(try all(clear.folder("xdf")).first { $0.hasSuffix(".xdf") })
        #expect(
            try BoundedFile.read(study.folder("xdf") + "/" + name) == BoundedFile.read(clear.folder("xdf") + "/" + name)
        )
    }

    @Test func keysOfBothKindsAreTold() throws {
        let study = try sealed(["P1"])
        let path = study.folder("identity")
        try AtomicFile.write(Array("# public key: age1\n\(try #require(Self.lab).text)\n".utf8), to: path)
        #expect(try LabKeys(files: [path]).recordings == [try #require(Self.lab)])
        try AtomicFile.write(Array("AGE-SECRET-KEY-1QQQ\n".utf8), to: path)
        let error = #expect(throws: FileError.self) { try LabKeys(files: [path]) }
        #expect(error.map { "\($0)".contains("AGE-SECRET-KEY-1…") } == true)
        #expect(throws: (any Error).self) { try LabKeys(files: [study.folder("absent")]) }
    }
}
