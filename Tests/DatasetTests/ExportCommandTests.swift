// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import SystemKit
import Testing

@testable import Dataset
@testable import Lab

struct ExportCommandTests {
    @Test func aHoleEndsItWithAListUnlessItIsWanted() async throws {
        let lab = try await LabFixture.filled()
        let words = ["--data", lab.directory, "-o", lab.output()]
        let error = try await #require(throws: HolesError.self) { try await ExportCommand.parse(words).run() }
        #expect("\(error)".contains("1 thing is missing"))
        #expect("\(error)".contains("P1: recording 000002-magnetometer.csv of 2026-11-25: delivered"))
        #expect(!FileManager.default.fileExists(atPath: lab.output()), "nothing is written")
        try await ExportCommand.parse(words + ["--with-holes"]).run()
        let missing = try String(contentsOfFile: lab.output() + "/missing.csv", encoding: .utf8)
        #expect(missing.contains("000002-magnetometer.csv,delivered,,true,1000"))
        // Of a time in which nothing is missing.
        try await ExportCommand.parse(words + ["--from", "2026-11-26"]).run()
    }

    @Test func twoAtOnceDoNotWriteIntoOneFolder() async throws {
        let lab = try await LabFixture.filled()
        let words = ["--data", lab.directory, "-o", lab.output(), "--with-holes"]
        try await ExportCommand.parse(words).run()
        let other = open(lab.output(), O_RDONLY | O_CLOEXEC)
        try #require(other >= 0 && flock(other, LOCK_EX) == 0)
        let error = try await #require(throws: FileError.self) { try await ExportCommand.parse(words).run() }
        #expect("\(error)".contains("another export is writing there"))
        // A child of another test that was just forked may have the lock's file open, too; this ends it for all.
        flock(other, LOCK_UN)
        close(other)
        try await ExportCommand.parse(words).run()
    }

    /// A client without a key chooses both names.
    @Test func aTerminalObeysNothingOfTheNamesInTheList() {
        let hole = MissingItem(
            kind: .file, enrolment: nil, day: nil, name: "\u{1B}[31m.csv", state: "unknown", why: nil, isHole: true)
        let error = HolesError([(participant: "P1\nP2", item: hole)])
        #expect(error.explanation.cause.hasSuffix("\n  P1\\u000AP2: file \\u001B[31m.csv: unknown"), "\(error)")
    }

    private static let program = LabFixture.root + "/.build/debug/study-receiver"

    /// On the way it says what it found; that the receiver went on is said where it did.
    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: program), "no debug build of the program beside the tests")
    )
    func ofAReceiverThatStoodStillNothingIsSaid() async throws {
        let lab = try await LabFixture.filled()
        let words = ["export", "--data", lab.directory, "-o", lab.output(), "--with-holes"]
        let said = try #require(DatasetProgram.run([Self.program] + words))
        #expect(said.contains("STUDYD1: 2 participants, ") && said.contains(", 1 hole"), "\(said)")
        #expect(!said.contains("the receiver went on"), "\(said)")
    }

    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: program), "no debug build of the program beside the tests")
    )
    func whatGoesToStandardOutputIsAWholeZip() async throws {
        let lab = try await LabFixture.filled()
        let file = lab.output("dataset.zip")
        let words = "export --data '\(lab.directory)' -o - --with-holes --without-recordings"
        _ = try #require(DatasetProgram.run(["sh", "-c", "'\(Self.program)' \(words) > '\(file)'"]))
        try await ExportCommand.parse([
            "--data", lab.directory, "-o", lab.output("folder"), "--with-holes", "--without-recordings",
        ]).run()
        let zip = try #require(ZipReader(try BoundedFile.read(file)))
        let known = FileManager.default.contents(atPath: lab.output("folder") + "/answers.csv").map { Array($0) }
        #expect(known != nil && zip.contents(of: "answers.csv", limit: 1 << 20) == known)
    }

    /// getrlimit(2): up to the hard limit, of which a shell gives less. An ended program keeps its limits (proc(5)) until
    /// it is waited for.
    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: program), "no debug build of the program beside the tests")
    )
    func anExportMayOpenAsManyFilesAsTheSystemLets() async throws {
        let lab = try await LabFixture.filled()
        let script = """
            import os, resource, subprocess, sys
            most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
            p = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (200, most)))
            os.waitid(os.P_PID, p.pid, os.WEXITED | os.WNOWAIT)
            limits = [line.split()[3:5] for line in open('/proc/%d/limits' % p.pid) if line.startswith('Max open files')]
            print(p.wait(), limits[0][0] == limits[0][1])
            """
        let words = ["export", "--data", lab.directory, "-o", lab.output(), "--with-holes", "--without-recordings"]
        let said = DatasetProgram.run(["python3", "-c", script, Self.program] + words)
        #expect(said == "0 True\n")
    }

    /// What the tables have is that of the whole dataset; issues.csv also has what is found by reading.
    @Test func withoutRecordingsEveryTableThatNeedsNoneIsTheSame() async throws {
        let lab = try await LabFixture.filled()
        let (whole, tables) = (lab.output("whole"), lab.output("tables"))
        let words = ["--data", lab.directory, "--with-holes", "-o"]
        try await ExportCommand.parse(words + [whole]).run()
        try await ExportCommand.parse(words + [tables, "--without-recordings"]).run()
        func names(_ folder: String) throws -> Set<String> {
            Set(try FileManager.default.contentsOfDirectory(atPath: folder))
        }
        #expect(
            try names(whole).subtracting(names(tables)) == ["epochs.csv", "wear.csv", "positions.csv", "recordings"])
        for name in try names(tables) where name.hasSuffix(".csv") && name != "issues.csv" {
            #expect(
                FileManager.default.contents(atPath: "\(tables)/\(name)")
                    == FileManager.default.contents(atPath: "\(whole)/\(name)"), "\(name)")
        }
        let package = try String(contentsOfFile: tables + "/datapackage.json", encoding: .utf8)
        #expect(package.contains("\"recordings\"") && !package.contains("\"epochs\""))
    }

    /// As Notepad saves it: CR LF, and an empty line at the end.
    @Test(arguments: ["\n", "\r\n"]) func seedsMayHaveAnyLineEndsAndEmptyLines(end: String) throws {
        let path = "/tmp/studyd-seeds-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let seed = String(repeating: "0a", count: 32)
        try ["E1 \(seed)", "", "E2 \(seed)", ""].joined(separator: end).write(
            toFile: path, atomically: true, encoding: .utf8)
        #expect(try ExportCommand.seeds(path) == ["E1": seed, "E2": seed])
        try ["E1 \(seed)", "", "E2 0a"].joined(separator: end).write(toFile: path, atomically: true, encoding: .utf8)
        let error = try #require(throws: (any Error).self) { try ExportCommand.seeds(path) }
        #expect("\(error)".contains("line 3 is no enrolment"))
    }

    @Test(arguments: ["bids", "xdf"]) func whatIsMadeOfRecordingsAloneNeedsThem(target: String) throws {
        let error = try #require(throws: (any Error).self) {
            try ExportCommand.parse(["-o", "x", "--to", target, "--without-recordings"])
        }
        #expect(ExportCommand.message(for: error).contains("--to \(target) is made of recordings"))
    }

    @Test(arguments: [("csv", false), ("datapackage", true)])
    func theTargetDecidesWhetherItIsAPackage(target: String, isPackage: Bool) async throws {
        let lab = try await LabFixture.filled()
        try await ExportCommand.parse([
            "--data", lab.directory, "-o", lab.output(), "--to", target, "--participant", "P2",
        ])
        .run()
        #expect(FileManager.default.fileExists(atPath: lab.output() + "/datapackage.json") == isPackage)
        #expect(FileManager.default.fileExists(atPath: lab.output() + "/answers.csv"))
    }
}
