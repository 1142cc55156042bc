// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import Base
@testable import Device
@testable import SystemKit

@Suite struct RecordingJournalTests {
    /// A recorder each of motion and field, and the journal of both.
    private struct Life {
        let motion = Example.vectorRing()
        let field = Example.vectorRing()
        let recorders: [any SampleRecorder]
        let journal: RecordingJournal

        init(_ bench: Workbench, capacity: Int) throws {
            let folder = try bench.folder()
            recorders = [
                try MeasureConfiguration(identifier: "motion", format: .cwa).recorder(
                    of: .vectors(motion), source: Example.accelerometer, origin: Example.origin, folder: folder),
                try MeasureConfiguration(identifier: "field", format: .csv).recorder(
                    of: .vectors(field), source: Example.magnetometer, origin: Example.origin, folder: folder),
            ]
            journal = RecordingJournal(in: folder, capacity: capacity)
        }

        func pass(_ seconds: Range<Int>) {
            for second in seconds {
                Example.fill(motion, samples: second * 100..<second * 100 + 100)
                for index in second * 10..<second * 10 + 10 {
                    field.push(Example.vector(Int32(index), -20, 3000, at: 100 + Double(index) / 10))
                }
                let now = MonotonicTime(seconds: Double(101 + second))
                _ = journal.drain(recorders, at: now, anchors: [Example.anchor])
            }
        }
    }

    /// What a power cut leaves after 65 seconds.
    private static func cutBench() throws -> Workbench {
        let bench = Workbench()
        try Life(bench, capacity: 128 << 10).pass(0..<65)
        return bench
    }

    /// A full journal begins again: 16 KiB are four entries.
    @Test(arguments: [16 << 10, 128 << 10], [25, 65, 129])
    func aPowerCutTakesTenSecondsAndNotWhatTheFilesLack(capacity: Int, seconds: Int) throws {
        let bench = Workbench()
        var life: Life? = try Life(bench, capacity: capacity)
        life?.pass(0..<seconds)
        let told = try #require(life?.recorders.first?.openFileStatus)
        // `status` tells of what a reader of the file finds, which is less than is durable.
        #expect(try RecordingCatalog(bench.folder().folder).summaries().first?.stored == told.stored)
        life = nil
        let found = try bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }
        #expect(found.faults.isEmpty && found.sealed.count == 2)
        for (recording, rate) in zip(found.sealed, [100, 10]) {
            #expect(try FileInspector.problems(of: recording.path) == [])
            let stored = recording.description.samplesStored
            #expect(stored >= (seconds - 10) * rate - 80 && stored <= seconds * rate, "\(stored)")
            let lost = try #require(recording.description.samplesLost["powerCut"])
            #expect(stored + lost >= seconds * rate)
        }
        #expect(try bench.names().allSatisfy { RecordingName($0) != nil && !$0.hasSuffix(".open") })
        #expect(try bench.folder().recover(bootID: "boot-c", zone: Example.berlin) { _ in [] }.sealed.isEmpty)
    }

    /// A reader of the folder sees them: 1024 bytes of CWA's header and a block of 512 for 80 samples, though
    /// the field's file began to hold samples before.
    @Test func theFirstSamplesOfEachGoIntoItsFile() throws {
        let bench = Workbench()
        let life = try Life(bench, capacity: 128 << 10)
        var sizes: [Int] = []
        for quarter in 0..<6 {
            Example.fill(life.motion, samples: quarter * 25..<quarter * 25 + 25)
            life.field.push(Example.vector(1, -20, 3000, at: 100 + Double(quarter) / 4))
            let now = MonotonicTime(seconds: 100.25 + Double(quarter) / 4)
            _ = life.journal.drain(life.recorders, at: now, anchors: [Example.anchor])
            let motion = try #require(try bench.names().first { $0.hasPrefix("000001") && $0.contains(".cwa") })
            sizes.append(try bench.bytes(motion).count)
        }
        #expect(sizes == [1024, 1024, 1024, 1536, 1536, 1536])
    }

    @Test func anOrderlyEndLeavesNoJournal() throws {
        let bench = Workbench()
        let life = try Life(bench, capacity: 128 << 10)
        life.pass(0..<45)
        // Written out to its size at once: an entry needs no more room.
        #expect(try bench.bytes("journal-000001").count == 128 << 10)
        var sealed: [SealedRecording] = []
        for recorder in life.recorders {
            sealed += recorder.stop(at: MonotonicTime(seconds: 145), anchors: [Example.anchor])
        }
        life.journal.remove(after: life.recorders)
        #expect(sealed.map(\.description.samplesStored) == [4480, 450])
        #expect(
            try bench.names() == [
                "000001-accelerometer.cwa", "000001-accelerometer.json", "000002-magnetometer.csv.gz",
                "000002-magnetometer.json",
            ])
    }

    /// Python's gzip reads it, by what JournalEntry.swift says of it.
    @Test func anotherProgramReadsTheJournal() throws {
        let bench = try Self.cutBench()
        let script = """
            import gzip, struct
            data = open("\(bench.path)/journal-000001", "rb").read()
            place = count = 0
            while (length := struct.unpack_from("<I", data, place)[0]):
                entry = gzip.decompress(data[place + 4:place + 4 + length])
                assert struct.unpack_from("<II", entry) == (2, count)
                at = 8
                while at < len(entry):
                    number, offset, size = struct.unpack_from("<QQI", entry, at)
                    name = {1: "000001-accelerometer.cwa", 2: "000002-magnetometer.csv"}[number] + ".partial"
                    with open("\(bench.path)/" + name, "r+b") as file:
                        assert file.seek(0, 2) == offset
                        file.write(entry[at + 20:at + 20 + size])
                    at += 20 + size
                place, count = (place + 4 + length + 4095) // 4096 * 4096, count + 1
            assert count == 6, count
            """
        try bench.write("read.py", Array(script.utf8))
        #expect(system("python3 \(bench.path)/read.py") == 0)
        unlink("\(bench.path)/read.py")
        let partials = ["000001-accelerometer.cwa.partial", "000002-magnetometer.csv.partial"]
        let theirs = try partials.map(bench.bytes)
        var faults: [FileError] = []
        let held = try bench.folder().replayJournals(before: .max, &faults)
        let ours = try partials.map(bench.bytes)
        #expect(faults.isEmpty && held.isEmpty && theirs == ours)
        // Ten seconds and an unfinished block may be missing.
        #expect(theirs[0].count >= 1024 + 55 * 100 / 80 * 512)
    }

    /// A folder cannot be written to as a file. What the journal has of the other one is not lost for it.
    @Test func aFileThatDoesNotTakeTheJournalWaitsWithIt() throws {
        let bench = try Self.cutBench()
        let motion = bench.path + "/000001-accelerometer.cwa.partial"
        #expect(rename(motion, motion + "-away") == 0 && mkdir(motion, 0o700) == 0)
        let first = try bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }
        #expect(first.sealed.map(\.number) == [2] && first.removed.isEmpty && first.faults.map(\.code) == [EISDIR])
        #expect(try #require(first.sealed.first).description.samplesStored >= 550)
        #expect(try bench.names().filter { $0.hasPrefix("journal-") } == ["journal-000001"])
        #expect(rmdir(motion) == 0 && rename(motion + "-away", motion) == 0)
        let second = try bench.folder().recover(bootID: "boot-c", zone: Example.berlin) { _ in [] }
        #expect(second.sealed.map(\.number) == [1] && second.faults.isEmpty)
        #expect(try #require(second.sealed.first).description.samplesStored >= 55 * 100 - 80)
        #expect(try bench.names().allSatisfy { !$0.hasPrefix("journal-") })
    }

    /// read(2) refuses a folder.
    @Test func aJournalThatCannotBeReadIsAFaultAndTheOtherIsReplayed() throws {
        let bench = try Self.cutBench()
        let unreadable = bench.path + "/journal-000009"
        #expect(mkdir(unreadable, 0o700) == 0)
        defer { rmdir(unreadable) }
        var faults: [FileError] = []
        let held = try bench.folder().replayJournals(before: .max, &faults)
        #expect(faults.map(\.code) == [EISDIR] && held.isEmpty)
        #expect(try bench.names().filter { $0.hasPrefix("journal-") } == ["journal-000009"])
        #expect(try bench.bytes("000001-accelerometer.cwa.partial").count >= 1024 + 55 * 100 / 80 * 512)
    }

    /// What an earlier round left lies behind the entries of this one, and a torn entry ends them.
    @Test(arguments: [(round: UInt32(2), damaged: 9, 1), (1, 1, 1), (1, 0, 0), (1, 9, 3)])
    func entriesEndWhereOneIsTornOrOfAnotherRound(round: UInt32, damaged: Int, whole: Int) throws {
        let bench = Workbench()
        var bytes: [UInt8] = []
        for sequence in 0..<3 {
            let addition = FileAddition(number: 7, offset: sequence * 5, bytes: Array("hello".utf8)[...])
            let entry = JournalEntry(
                round: sequence == 0 ? round : 1, sequence: UInt32(sequence), additions: [addition])
            var written = try #require(try entry.bytes())
            #expect(written.count == 4096)
            if sequence == damaged { written[20] ^= 1 }
            bytes += written
        }
        try bench.write("journal-000007", bytes)
        let found = try JournalEntry.all(in: File(bench.path + "/journal-000007", .read))
        #expect(found.map(\.sequence) == (0..<whole).map { UInt32($0) })
        #expect(found.allSatisfy { $0.additions.map { Array($0.bytes) } == [Array("hello".utf8)] })
    }

    @Test func moreThanAJournalHoldsIsNoEntry() throws {
        let large = FileAddition(number: 1, offset: 0, bytes: [UInt8](repeating: 0, count: JournalEntry.largest)[...])
        #expect(try JournalEntry(round: 1, sequence: 0, additions: [large]).bytes() == nil)
    }
}
