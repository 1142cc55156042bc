// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

/// A study made without waiting: what a lab and its devices hold after its last day.
@Suite(.timeLimit(.minutes(45))) struct MakeStudyTests {
    private static func make(_ stage: Stage, _ words: String...) async throws -> Child {
        let made = try stage.start([Programs.tools, "make-study"] + words)
        try await made.ended(within: .seconds(2400))
        return made
    }

    private static let study = Programs.package + "/studies/sleep-and-movement.json"

    /// The receiver's own counts, and the device's ledger: two programs' words of the same day.
    @Test func whatTheDeviceHoldsIsWhatTheLabHas() async throws {
        try await Stage.with { stage in
            let folder = stage.folder + "/out"
            let made = try await Self.make(
                stage, Self.study, "--participants", "1", "--days", "1", "--rate", "10", "--measures", "buttons", "-o",
                folder)
            #expect(made.end == 0, "\(made.errors)")
            #expect(made.output.contains("waiting 0 + sending 0 + refused 0"))
            #expect(Files.names(folder) == ["devices", "lab", "truth.json"])
            #expect(
                try JSON(parsing: Files.text(folder + "/truth.json"))["participants"].list.first?["powered"].list.count
                    == 3)

            let status = try stage.start([Programs.studyd, "status", "--state", folder + "/devices/P001", "--json"])
            #expect(try await status.ended() == 0, "\(status.errors)")
            let sealed = Files.names(folder + "/devices/P001/recordings").filter { $0.hasSuffix(".json") }
            let lab = try await LabReceiver(
                stage, more: ["--data", folder + "/lab", "--clock-from", "2026-03-03T00:20:00Z"])
            let files = try await lab.files().filter { !$0["name"].text.hasSuffix(".json") }
            #expect(!sealed.isEmpty && files.count == sealed.count)
            #expect(try await !lab.answers().isEmpty)
            let fleet = Files.text(try await Self.fetched(stage, lab.address + "/api/fleet"))
            #expect(fleet.contains("P001"))
            try await lab.process.stop()
        }
    }

    /// Rows of one of a dataset's tables, by column; none of these has a comma in a field.
    private static func rows(_ path: String) -> [[String: String]] {
        let lines = Files.text(path).split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        guard let head = lines.first else { return [] }
        return lines.dropFirst().map { Dictionary(zip(head, $0)) { first, _ in first } }
    }

    /// An example of each platform.
    static let studies = ["sleep-and-movement.json", "mystudies", "esmira.json", "sage"]

    /// Three programs' words of the same day: the device's ledger, the server's archive, and the dataset
    /// that is made of it.
    @Test(arguments: studies) func everyPlatformsStudyIsMadeToItsEnd(study: String) async throws {
        try await Stage.with { stage in
            let folder = stage.folder + "/out"
            let made = try await Self.make(
                stage, Programs.package + "/studies/" + study, "--participants", "1", "--days", "1", "--rate", "1",
                "--measures", "nothing", "-o", folder)
            #expect(made.end == 0, "\(made.errors)")
            #expect(made.output.contains("waiting 0 + sending 0 + refused 0"), "\(made.output)")
            let ledger = try #require(made.output.split(separator: "\n").first { $0.hasPrefix("occurrences") })
            let counts = ledger.split { " ;".contains($0) }.map(String.init)
            func count(behind word: String) throws -> Int {
                let place = try #require(counts.firstIndex(of: word), "\(ledger)")
                return try #require(Int(counts[place + 1]), "\(ledger)")
            }

            let export = try stage.start([
                Programs.receiver, "export", "--data", folder + "/lab", "-o", stage.folder + "/dataset",
            ])
            // A hole would end it with 1.
            #expect(try await export.ended() == 0, "\(export.errors)")
            let prompts = Self.rows(stage.folder + "/dataset/prompts.csv")
            #expect(try prompts.count == count(behind: "due") - count(behind: "open"), "\(ledger)")
            let completed = prompts.filter { $0["outcome"] == "completed" }.count
            #expect(try completed > 0 && completed == count(behind: "completed"), "\(ledger)")
            for prompt in prompts where prompt["reason"] != "not-signalled" {
                #expect((prompt["outcome"] == "missed") == (prompt["reason"] != ""), "\(prompt)")
            }
            let submissions =
                study == "sage"
                ? Files.names(folder + "/lab/sage").filter { $0.hasSuffix(".zip") }.count
                : Self.rows(stage.folder + "/dataset/answers.csv").count
            #expect(try submissions == completed + count(behind: "self-started"), "\(ledger)")
        }
    }

    private static func fetched(_ stage: Stage, _ url: String) async throws -> String {
        let path = stage.folder + "/fetched"
        let answer = try stage.start(["curl", "-sSf", "-o", path, url])
        #expect(try await answer.ended() == 0, "\(answer.errors)")
        return path
    }

    @Test func aFolderThatHoldsAnythingIsRefusedAndStaysAsItWas() async throws {
        try await Stage.with { stage in
            let folder = stage.folder + "/mine"
            #expect(mkdir(folder, 0o755) == 0)
            try Files.write("precious", to: folder + "/thesis.txt")
            let made = try await Self.make(stage, Self.study, "-o", folder)
            #expect(made.end == 1)
            #expect(made.errors.contains("\(folder): is not empty (it holds thesis.txt)"))
            #expect(made.errors.contains("name a new or empty folder with -o"))
            #expect(Files.names(folder) == ["thesis.txt"] && Files.text(folder + "/thesis.txt") == "precious")
        }
    }

    @Test(arguments: [
        (["--days", "0"], "--days must be from 1 to 366"), (["--days", "367"], "--days must be from 1 to 366"),
        (["--participants", "0"], "--participants must be from 1 to 200"),
        (["--rate", "0"], "--rate must be from 1 to 3200"),
        (["--measures", "smell"], "--measures smell: use sound"),
        (["--start", "Monday"], "--start Monday: expected a date"),
    ]) func wrongUsageIsNamedAndMakesNothing(words: [String], complaint: String) async throws {
        try await Stage.with { stage in
            let folder = stage.folder + "/out"
            let made = try stage.start([Programs.tools, "make-study", Self.study, "-o", folder] + words)
            #expect(try await made.ended() == 64 || made.end == 2, "\(made.errors)")
            #expect(made.errors.contains(complaint), "\(made.errors)")
            #expect(access(folder, F_OK) != 0)
        }
    }

    /// A span test on two buttons, and a zone that the zone files do not have.
    @Test func whatCannotBePlayedIsRefusedBeforeAnythingIsMade() async throws {
        try await Stage.with { stage in
            let folder = stage.folder + "/out"
            let zone = try await Self.make(stage, Self.study, "--zone", "Moon/Base", "-o", folder)
            #expect(zone.end == 1 && zone.errors.contains("Moon/Base"), "\(zone.errors)")
            let board = try await Self.make(
                stage, Programs.package + "/studies/mystudies", "--board", Programs.package + "/boards/wearable.toml",
                "-o",
                folder)
            #expect(board.end == 1, "\(board.errors)")
            let rate = try await Self.make(stage, Self.study, "--rate", "77", "-o", folder)
            #expect(rate.end == 1 && rate.errors.contains("77"), "\(rate.errors)")
            #expect(access(folder, F_OK) != 0)
        }
    }
}
