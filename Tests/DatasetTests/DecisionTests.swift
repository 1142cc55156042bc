// SPDX-License-Identifier: Apache-2.0
import Base
import FoundationEssentials
import Glibc
import SystemKit
import Testing

@testable import Dataset

/// Trials with a planted effect, made by `Tests/Decisions/trial.py`, and what others find in their
/// export: a reading of docs/rules.md in Python, which shares no code with this program, and wcls of
/// R's MRTAnalysis.
struct DecisionTests {
    private static let scripts = LabFixture.root + "/Tests/Decisions"

    /// A trial as it was exported; its folders go with it.
    private final class Trial {
        let folder: String
        var out: String { folder + "/out" }
        var table: String { out + "/decisions.csv" }

        init(_ options: String = "--people 4 --days 4", unblinds: Bool = true) throws {
            folder = "/tmp/studyd-trial-\(getpid())-\(UInt32.random(in: 0 ... .max))"
            try File.makeFolder(folder)
            let made = try DecisionTests.run(
                "python3 '\(DecisionTests.scripts)/trial.py' '\(folder)' --trials 1 \(options)")
            guard made.code == 0 else { throw FileError(path: folder, message: made.text) }
            let device = try DeviceFolder(folder + "/1", study: nil)
            let dataset = try WindowedDataset(device, window: .all, participant: nil)
            _ = try DatasetExport(dataset, to: DatasetFolder(out), isPackage: true, unblinds: unblinds).run(bytes: 0)
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        var lines: [Substring] {
            get throws { try String(contentsOfFile: table, encoding: .utf8).split(separator: "\n") }
        }

        func read() throws -> (code: Int32, text: String) {
            try DecisionTests.run("python3 '\(DecisionTests.scripts)/reading.py' '\(out)'")
        }

        /// Puts a text into a cell of the first row that `holds`.
        func change(_ column: String, to text: String, where holds: ([String]) -> Bool) throws {
            var lines = try lines.map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
            let place = try #require(lines[0].firstIndex(of: column))
            let row = try #require(lines.firstIndex { $0 != lines[0] && holds($0) })
            lines[row][place] = text
            let changed = lines.map { $0.joined(separator: ",") + "\n" }.joined()
            try Data(changed.utf8).write(to: URL(fileURLWithPath: table))
        }
    }

    @Test func theReadingFindsEveryDecision() throws {
        let trial = try Trial("--people 4 --days 4 --holes")
        let verdict = try trial.read()
        #expect(verdict.code == 0, "\(verdict.text)")
        // Thirteen hours a day are not quiet.
        #expect(verdict.text.contains("208 of 208 decisions"), "\(verdict.text)")
        #expect(try trial.lines.count == 209)
    }

    /// What it is about to find must be findable.
    @Test(arguments: [
        ("probability", "0.5", "treated"), ("draw", "0.01", "control"), ("treatment", "1", "control"),
        ("available", "1", "unavailable"), ("reasons", "", "unavailable"), ("reasons", "coverage", "unavailable"),
        ("tilt", "70", "treated"), ("probability", "0.3", "unavailable"), ("decision", "9", "treated"),
        ("due_utc", "2026-03-02T08:30:00.000Z", "treated"), ("day", "7", "control"),
    ]) func aChangedCellIsFound(column: String, text: String, result: String) throws {
        let trial = try Trial("--people 1 --days 4")
        try trial.change(column, to: text) { $0.contains(result) }
        let verdict = try trial.read()
        #expect(verdict.code == 1 && verdict.text.contains("P001"), "\(column): \(verdict.text)")
    }

    /// Lines as `studyd simulate --seed 1 --decisions` prints them. The first draw is that of docs/rules.md; those of
    /// `trial.py` are made by the reading itself.
    @Test(
        arguments: [
            ("walk", "walk", "2 of 2 decisions"), ("31055", "31054", "walk/2: draw is"),
            ("81937", "81930", "walk/1: draw is"), ("control", "treated", "walk/2: result is"),
            ("probability\":0.5", "probability\":0.4", "walk/1: probability is"),
        ]) func aLogOfKnownDrawsIsReadAndAChangeIsFound(old: String, new: String, verdict: String) throws
    {
        let folder = "/tmp/studyd-lines-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        try File.makeFolder(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let rules = Array("[rule.walk]\ntask = \"moment\"\nevery = \"1h\"\nprobability = 0.5\n".utf8)
        let digest = try Digest(of: rules).description
        let draws = [("0.028249968293181937", "treated"), ("0.9393773691831055", "control")]
        let lines = draws.enumerated().map { hour, point in
            let due = 1_800_000_000 + hour * 3600
            return """
                {"decided":{"decision":{"rule":"walk","index":\(hour + 1),"task":"moment","due":\(due)000000000, \
                "at":\(due)000000000,"local":[20833,\(due % 86_400)000000000],"result":"\(point.1)", \
                "available":true,"reasons":[],"probability":0.5,"label":"rule walk/\(hour + 1)", \
                "draw":\(point.0),"rules":"\(digest)"}}}
                """
        }
        try AtomicFile.write(rules, to: folder + "/rules.toml")
        try AtomicFile.write(Array(lines.joined(separator: "\n").replacing(old, with: new).utf8), to: folder + "/lines")
        let found = try Self.run(
            "python3 '\(Self.scripts)/reading.py' '\(folder)/lines' --rules '\(folder)/rules.toml'")
        #expect((found.code == 0) == (old == new) && found.text.contains(verdict), "\(found.text)")
    }

    @Test func drawsToComeStayHidden() throws {
        let trial = try Trial("--people 1 --days 1", unblinds: false)
        let names = try FileManager.default.subpathsOfDirectory(atPath: trial.out)
        #expect(!names.contains("seeds.csv") && names.contains("decisions.csv"))
        let seed = try Digest(of: Array("studyd seed 1000".utf8)).description
        for name in names where name.contains(".") {
            let data = try Data(contentsOf: URL(fileURLWithPath: "\(trial.out)/\(name)"))
            #expect(!String(decoding: data, as: UTF8.self).contains(seed), "\(name)")
        }
    }

    @Test func missingIsEmptyAndNeverNought() throws {
        let rows = try Trial("--people 2 --days 4 --holes").lines.map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        let (value, observed) = (rows[0].firstIndex(of: "outcome"), rows[0].firstIndex(of: "outcome_observed"))
        let (place, flag) = (try #require(value), try #require(observed))
        let missing = rows.dropFirst().filter { $0[flag] == "0" }
        #expect(!missing.isEmpty && missing.allSatisfy { $0[place].isEmpty })
    }

    @Test func frictionlessCallsTheTablesValid() throws {
        guard JudgeTests.isThere else { return }
        let trial = try Trial()
        let verdict = try Self.run(
            "cd '\(trial.out)' && '\(JudgeTests.python)' -m frictionless validate datapackage.json")
        #expect(verdict.code == 0 && verdict.text.contains("decisions"), "\(verdict.text)")
    }

    /// `make trials` asks a hundred; STUDYD_MRTANALYSIS names the package's sources.
    @Test(arguments: ["", "--holes"]) func wclsFindsThePlantedEffect(options: String) throws {
        guard let sources = getenv("STUDYD_MRTANALYSIS").map({ String(cString: $0) }),
            try Self.run("Rscript -e 'library(geepack); library(sandwich)'").code == 0
        else {
            return print(
                "SKIPPED: wcls of R's MRTAnalysis; STUDYD_MRTANALYSIS names its sources, with r-cran-geepack and r-cran-sandwich"
            )
        }
        let trial = try Trial("--people 20 --days 10 \(options)")
        let verdict = try Self.run("Rscript '\(Self.scripts)/wcls.R' '\(sources)' '\(trial.table)'")
        let numbers = verdict.text.split(separator: " ").compactMap { Double($0) }
        try #require(verdict.code == 0 && numbers.count == 4, "\(verdict.text)")
        #expect(options.isEmpty == (numbers[0] == 2600), "every row is read where every outcome was observed")
        #expect(numbers[1] > 5 && numbers[1] < 45 && numbers[2] < 25 && numbers[3] > 25, "25 was planted: \(numbers)")
    }

    private static func run(_ command: String) throws -> (code: Int32, text: String) {
        guard let pipe = popen("{ \(command); } 2>&1", "r") else { throw FileError.last(command) }
        var (text, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 { text += buffer[..<count] }
        let status = pclose(pipe)
        return (status >> 8, String(decoding: text, as: UTF8.self))
    }
}
