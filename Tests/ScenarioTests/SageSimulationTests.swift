// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

/// Every archive of every simulated run of every task, held to the schemas that Sage
/// published by PyPI's `jsonschema`; and the motion in them, looked at with numpy, which
/// knows nothing of who made it.
@Suite(.timeLimit(.minutes(20))) struct SageSimulationTests {
    private static let python = getenv("STUDYD_PYTHON").map { String(cString: $0) } ?? "python3"
    private static let fixtures: String? = {
        let path = Programs.package + "/../shared/fixtures/sage"
        return access(path + "/mobile-client-json/README.md", R_OK) == 0 ? path : nil
    }()
    private static let canRead: Bool = {
        let found = system("'\(python)' -c 'import jsonschema, referencing, numpy' 2>/dev/null") == 0
        if !found { print("SKIPPED: Python's jsonschema and numpy are not installed; STUDYD_PYTHON may name a Python") }
        return found
    }()

    /// From a Monday on, which every task of the example but the Saturday's has: not from today.
    private func simulate(_ study: String, _ stage: Stage, on board: String = "simulated") async throws -> String {
        let out = stage.folder + "/out"
        let finished = try await stage.studyd(
            "simulate", study, "--enrolled", "2026-03-02T08:00", "--zone", "UTC", "--days", "2", "--board",
            Programs.package + "/boards/\(board).toml", "--payloads", out)
        #expect(finished.code == 0, "\(study): \(finished)")
        return out
    }

    private func python(_ stage: Stage, _ words: [String]) async throws -> Stage.Finished {
        let child = try stage.start([Self.python] + words)
        let code = try await child.ended(within: .seconds(900))
        return Stage.Finished(code: code, output: child.output, errors: child.errors)
    }

    @Test(
        .enabled(if: fixtures != nil, "needs ../shared/fixtures/sage"),
        .enabled(if: canRead, "needs jsonschema, numpy"),
        arguments: [
            "catalog-v4/Recorder_Motion.json", "catalog-v4/Recorder_Microphone.json",
            "catalog-v4/Recorder_Distance.json",
            "catalog-v4/SimpleSurvey.json", "catalog-v4/FormStep_List.json", "catalog-v4/FormStep_Picker.json",
            "catalog-v4/FormStep_Textfield.json", "motor-control", "studies",
            "studies/sage/psat.json", "mobile-client-json/examples/v2/AssessmentObject/AssessmentObject_0.json",
        ])
    func everyFileOfEverySimulatedRunIsValid(task: String) async throws {
        let fixtures = try #require(Self.fixtures)
        try await Stage.with { stage in
            let study =
                switch task {
                case "studies": Programs.package + "/studies/sage"
                case "studies/sage/psat.json": Programs.package + "/" + task
                default: "\(fixtures)/\(task)"
                }
            let out = try await simulate(study, stage, on: task.contains("psat") ? "simulated-voice" : "simulated")
            let script = """
                import glob, subprocess, sys
                found = sorted(glob.glob(sys.argv[1] + "/*.body"))
                assert found
                for path in found: subprocess.run([sys.executable, sys.argv[2], path, sys.argv[3]], check=True)
                """
            let checker = Programs.package + "/Tests/PlatformSageTests/archive_check.py"
            let seen = try await python(
                stage, ["-c", script, out, checker, fixtures + "/mobile-client-json/schemas"])
            #expect(seen.code == 0, "\(seen)")
            if task.contains("Motion") { #expect(seen.output.contains("shaker_motion.json"), "\(seen)") }
            if task.contains("Microphone") { #expect(seen.output.contains("shaker_microphone.flac sound"), "\(seen)") }
        }
    }

    /// Every way of looking at a study before it is given out, for the tasks that come with studyd.
    @Test(arguments: [
        ("simulated", "studies/sage", ["Finger tapping", "Resting tremor", "Walk and balance", "Reaction time"]),
        ("simulated-voice", "studies/sage/psat.json", ["add it to the digit before"]),
    ])
    func theExamplesAreCheckedPlannedPrintedAndStartedInTheDemo(
        board: String, study: String, printed: [String]
    ) async throws {
        try await Stage.with { stage in
            let (study, board) = ("\(Programs.package)/\(study)", "\(Programs.package)/boards/\(board).toml")
            let checked = try await stage.studyd("validate", study, "--board", board)
            #expect(checked.code == 0, "\(checked)")
            let plan = try await stage.studyd("plan", study, "--enrolled", "2026-03-02T08:00", "--json")
            #expect(plan.code == 0 && plan.output.contains("2026-03-02"), "\(plan)")
            let cards = stage.folder + "/cards.html"
            #expect(try await stage.studyd("cards", study, "--board", board, "-o", cards).code == 0)
            for words in printed { #expect(Files.text(cards).contains(words), "\(words)") }
            let shown = try await stage.tools(
                "demo", study, "--board", board, "--for", "3s", limit: .seconds(120))
            #expect(shown.code == 0 && shown.output.contains("event log intact"), "\(shown)")
        }
    }

    /// On one button, two and three the tasks of ResearchKit and BiAffect are played to their end,
    /// and what they send is valid.
    @Test(
        .enabled(if: fixtures != nil, "needs ../shared/fixtures/sage"),
        .enabled(if: canRead, "needs jsonschema, numpy"), arguments: [1, 2, 3])
    func performedTasksNeedNoMoreThanOneButton(buttons: Int) async throws {
        let fixtures = try #require(Self.fixtures)
        try await Stage.with { stage in
            let script = """
                import pathlib, re, subprocess, sys
                studyd, package, out, schemas, buttons = *sys.argv[1:5], int(sys.argv[5])
                board = pathlib.Path(package + "/boards/simulated.toml").read_text()
                for name in ["previous", "next"][:3 - buttons]:
                    board = re.sub(r'\\[\\[button\\]\\]\\nname = "%s"\\n([^\\[\\n].*\\n)*' % name, "", board)
                assert board.count("[[button]]") == buttons
                pathlib.Path(out).mkdir()
                pathlib.Path(out + "/board.toml").write_text(board)
                for task in ["reaction-time", "go-no-go", "timed-walk", "phonation"]:
                    subprocess.run([studyd, "simulate", f"{package}/studies/sage/{task}.json", "--days", "1",
                        "--enrolled", "2026-03-02T08:00", "--board", out + "/board.toml", "--payloads", f"{out}/{task}"], check=True, stdout=subprocess.DEVNULL)
                    archives = list(pathlib.Path(f"{out}/{task}").glob("*.body"))
                    assert archives, task
                    for path in archives:
                        subprocess.run([sys.executable, package + "/Tests/PlatformSageTests/archive_check.py", path, schemas], check=True)
                """
            let seen = try await python(
                stage,
                [
                    "-c", script, Programs.studyd, Programs.package, stage.folder + "/out",
                    fixtures + "/mobile-client-json/schemas", "\(buttons)",
                ])
            #expect(seen.code == 0, "\(seen)")
            #expect(seen.output.contains("gonogo.json") && seen.output.contains("audio.flac sound"), "\(seen)")
        }
    }

    /// The participant shakes at 5 Hz and walks 1.8 steps a second (docs/sage.md): a search for the
    /// largest peak finds that.
    @Test(.enabled(if: canRead, "needs numpy"))
    func aStrangerFindsTheTremorAndTheSteps() async throws {
        try await Stage.with { stage in
            let out = try await simulate(Programs.package + "/studies/sage", stage)
            let script = """
                import glob, json, sys, zipfile, numpy as np
                found = {}
                for path in glob.glob(sys.argv[1] + "/*.body"):
                    z = zipfile.ZipFile(path)
                    for name in z.namelist():
                        if not name.endswith(".json"): continue
                        r = json.loads(z.read(name))
                        if not isinstance(r, list): continue
                        for step in {x["stepPath"] for x in r}:
                            a = [x for x in r if x.get("sensorType") == "accelerometer" and x["stepPath"] == step]
                            if len(a) < 512: continue
                            v = np.array([[x["x"], x["y"], x["z"]] for x in a]); v -= v.mean(0)
                            rate = (len(a) - 1) / (a[-1]["timestamp"] - a[0]["timestamp"])
                            p = (np.abs(np.fft.rfft(v * np.hanning(len(v))[:, None], axis=0)) ** 2).sum(1)
                            found[step] = float(np.fft.rfftfreq(len(v), 1 / rate)[p.argmax()])
                print(found)
                shaken = [f for s, f in found.items() if s.startswith("tremor/")]
                walked = [f for s, f in found.items() if s.endswith("/walking")]
                assert shaken and all(abs(f - 5) < 0.15 for f in shaken)
                assert walked and all(abs(f - 1.8) < 0.1 for f in walked)
                """
            let seen = try await python(stage, ["-c", script, out])
            #expect(seen.code == 0, "\(seen)")
        }
    }
}
