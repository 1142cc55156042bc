// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Testing

/// The dataset of a study that was made, taken from a receiver that runs: by curl, opened by
/// Python's zipfile and judged by frictionless.
@Suite(.timeLimit(.minutes(45))) struct DatasetDownloadTests {
    private static let python: String? = {
        let variables: [String] = ["STUDYD_DATASET_PYTHON", "STUDYD_PYTHON"]
        let names = variables.compactMap { getenv($0) }.map { String(cString: $0) }
        let found = (names + ["python3"]).first { system("'\($0)' -c 'import frictionless' 2>/dev/null") == 0 }
        if found == nil {
            print("SKIPPED: frictionless is not installed; STUDYD_DATASET_PYTHON may name a Python")
        }
        return found
    }()
    private static let token = "correct-horse-battery-staple"

    /// Opens a zip, has its package judged, and compares it with the folder of the command.
    private static let judge = """
        import filecmp, os, subprocess, sys, zipfile
        archive, folder = zipfile.ZipFile(sys.argv[1]), sys.argv[2]
        assert archive.testzip() is None
        names = archive.namelist()
        assert len(names) == len(set(names)), names
        archive.extractall(folder + ".zip.d")
        written = [os.path.relpath(os.path.join(top, name), folder) for top, _, files in os.walk(folder) for name in files]
        assert sorted(names) == sorted(set(written) - {".studyd-dataset"}), (names, written)
        _, different, lost = filecmp.cmpfiles(folder, folder + ".zip.d", names, shallow=False)
        assert not different and not lost, (different, lost)
        subprocess.run([sys.executable, "-m", "frictionless", "validate", folder + ".zip.d/datapackage.json"], check=True,
            stdout=subprocess.DEVNULL)
        print(sum(name.startswith("recordings/") for name in names), "recordings")
        """

    private static func run(_ stage: Stage, _ words: [String], ends code: Int32 = 0) async throws -> String {
        let child = try stage.start(words)
        let end = try await child.ended(within: .seconds(2400))
        try #require(end == code, "\(words.prefix(3)): \(child.errors.suffix(2000))\(child.output.suffix(2000))")
        return child.output
    }

    @Test(.enabled(if: python != nil, "needs frictionless"))
    func whatABrowserTakesIsWhatTheCommandWrites() async throws {
        let python = try #require(Self.python)
        try await Stage.with { stage in
            let made = stage.folder + "/made"
            _ = try await Self.run(
                stage,
                [
                    Programs.tools, "make-study", Programs.package + "/studies/sleep-and-movement.json",
                    "--participants",
                    "2", "--days", "1", "--rate", "10", "--measures", "position,buttons", "-o", made,
                ])
            try Files.write(Self.token + "\n", to: stage.folder + "/token")
            let lab = try await LabReceiver(
                stage,
                more: [
                    "--data", made + "/lab", "--token-file", stage.folder + "/token", "--clock-from",
                    "2026-03-03T00:20:00Z",
                ])
            func take(_ items: String, as name: String) async throws -> String {
                let path = "\(stage.folder)/\(name)"
                let key = "Authorization: Bearer " + Self.token
                _ = try await Self.run(
                    stage, ["curl", "-sSf", "-H", key, "-o", path, lab.address + "/dataset.zip" + items])
                return path
            }
            let cases: [(items: String, options: [String], recordings: Bool)] = [
                ("", ["--without-recordings"], false), ("?recordings=1", [], true),
                ("?user=P002&recordings=1", ["--participant", "P002"], true),
                (
                    "?day=2026-03-02",
                    ["--from", "2026-03-02", "--until", "2026-03-03", "--without-recordings"], false
                ),
            ]
            for (number, one) in cases.enumerated() {
                let folder = "\(stage.folder)/dataset\(number)"
                _ = try await Self.run(
                    stage,
                    [Programs.receiver, "export", "--data", made + "/lab", "-o", folder, "--with-holes"] + one.options)
                let zip = try await take(one.items, as: "\(number).zip")
                let said = try await Self.run(stage, [python, "-c", Self.judge, zip, folder])
                #expect((said == "0 recordings\n") != one.recordings, "\(one.items): \(said)")
                // The same bytes another time.
                let again = try await take(one.items, as: "again.zip")
                _ = try await Self.run(stage, ["cmp", zip, again])
            }
            // Without the token; and by a client that goes in the middle.
            _ = try await Self.run(stage, ["curl", "-sf", lab.address + "/dataset.zip"], ends: 22)
            let cut =
                "curl -s -H 'Authorization: Bearer \(Self.token)' '\(lab.address)/dataset.zip?recordings=1' | head -c 1000 | wc -c"
            #expect(try await Self.run(stage, ["sh", "-c", cut]) == "1000\n")
            try await eventually("nothing is left of it") { Files.names(made + "/lab/downloads").isEmpty }
            try await lab.process.stop()
        }
    }
}
