// SPDX-License-Identifier: Apache-2.0
import Patience
import Testing

/// The ways into a study of ESMira, and what becomes of it when its key is changed, with the built
/// programs and the stand-in that was compared with the real server.
@Suite(.timeLimit(.minutes(20))) struct ESMiraJoinTests {
    private static let participant = #"{"latency":"0s","otherwise":"first","misses":1}"#

    /// A study as the editor's download has it, in two languages; the server gives the one that
    /// `lang` asks for (`studies.php`, ESMira-web 3.5.1).
    private static let twoLanguages: String = {
        let english = ESMiraLab.study.replacing(
            "\"lang\": \"en\"",
            with:
                "\"lang\": \"en\", \"langCodes\": [\"en\", \"de\"], \"informedConsentForm\": \"<p>It is <b>free</b></p>\""
        )
        let german = english.replacing("\"lang\": \"en\"", with: "\"lang\": \"de\"")
            .replacing("\"Days\"", with: "\"Tage\"").replacing("It is <b>free</b>", with: "Es ist <b>frei</b>")
        return "{\"_\": \(english), \"de\": \(german)}"
    }()

    @Test func theStudyComesInTheLanguageThatIsAskedForWithItsConsent() async throws {
        try await Stage.with { stage in
            let lab = try await ESMiraLab(stage, participant: Self.participant, wishes: [], study: Self.twoLanguages)
            try Files.write(
                #"{"version":"1.0","recordedBy":"A","eligible":true}"#, to: stage.folder + "/consent.json")
            let joined = try await stage.studyd(
                "enroll", lab.receiver.address + "/esmira/", "--access-key", "mood", "--study-language", "de",
                "--consent", stage.folder + "/consent.json")
            #expect(joined.code == 0, "\(joined)")
            try await Self.expectConsentInLog(stage)
            let german = try await stage.studyd("study").output
            #expect(german.contains("Tage") && german.contains("Es ist frei"), "\(german)")
            #expect(try await stage.studyd("withdraw").code == 0)
            #expect(try await lab.enrol().code == 0)
            let english = try await stage.studyd("study").output
            #expect(english.contains("Days") && english.contains("It is free"), "\(english)")
        }
    }

    /// The row, as somebody finds it who has Python and the file alone.
    private static func expectConsentInLog(_ stage: Stage) async throws {
        let query = """
            import json, sqlite3, sys
            rows = sqlite3.connect(sys.argv[1]).execute("SELECT body FROM event WHERE kind = 'consented'").fetchall()
            sys.exit(0 if [json.loads(row[0])["version"] for row in rows] == ["1.0"] else 3)
            """
        let code = try await stage.start(["python3", "-c", query, stage.state + "/studyd.sqlite"]).ended()
        #expect(code == 0, "one row says which consent was given")
    }

    @Test func aFileOfTheEditorJoinsAndItsServerGetsTheAnswers() async throws {
        try await Stage.with { stage in
            let lab = try await ESMiraLab(stage, participant: Self.participant, wishes: ["71", "71"])
            let server = lab.receiver.address + "/esmira/"
            let joined = try await stage.studyd("enroll", lab.file, "--post-url", server)
            #expect(joined.code == 0, "\(joined)")
            let agent = try await stage.agent()
            try await eventually("joining and an answer arrive") {
                let (events, answers) = (try await lab.rows("events"), try await lab.rows("71"))
                return events.contains { $0.contains("\"joined\"") } && !answers.isEmpty
            }
            try await agent.stop()
            try await stage.expectWhole()
        }
    }

    /// "Wrong accessKey: mood" of `CreateDataSet::shouldWriteDataSet`, and
    /// `errorCode: wrongAccessKey` of `update.php` (ESMira-web 0750ca3): what was answered is kept
    /// and shown, and goes by hand only.
    @Test func aKeyThatWasChangedRefusesAnswersWhichAreKeptShownAndDeletedByHand() async throws {
        try await Stage.with { stage in
            let lab = try await ESMiraLab(stage, participant: Self.participant, wishes: ["71", "71"])
            #expect(try await lab.enrol().code == 0)
            try lab.edit("\"accessKeys\": [\"mood\"]", by: "\"accessKeys\": [\"food\"]")
            let agent = try await stage.agent()
            let refused: String = try await eventually("an answer is refused") {
                let list = try await stage.studyd("outbox").output
                return list.split(separator: "\n").first { $0.contains("Wrong accessKey: mood") }.map(String.init)
            }
            let asked = try await stage.studyd("update-study")
            #expect(asked.code == 1 && asked.errors.contains("the study's access key was changed"), "\(asked)")
            #expect(try await stage.status()["withdrawn"].isTrue == false)
            let id = try #require(refused.split(separator: " ").first.map(String.init))
            let before = try await stage.status()["ledger"]["items"]["deleted"].int
            let deleted = try await stage.studyd("outbox", "delete", id)
            #expect(deleted.code == 0, "\(deleted)")
            #expect(try await stage.status()["ledger"]["items"]["deleted"].int == before + 1)
            try await agent.stop()
            try await stage.expectWhole()
        }
    }

    /// Every way of looking at a study before it is given out, with the example that
    /// has all of ESMira.
    @Test func theExampleIsCheckedPlannedPlayedAndPrinted() async throws {
        try await Stage.with { stage in
            let study = Programs.package + "/studies/esmira.json"
            let board = Programs.package + "/boards/simulated.toml"
            let checked = try await stage.studyd("validate", study, "--board", board)
            #expect(checked.code == 0 && checked.output.contains("26015/company~part1"), "\(checked)")
            let plan = try await stage.studyd("plan", study, "--enrolled", "2026-03-01T09:00")
            #expect(plan.code == 0 && plan.output.contains("42     Now"), "\(plan.output.suffix(400))")
            let played = try await stage.studyd("simulate", study, "--enrolled", "2026-03-01T09:00")
            #expect(played.code == 0 && played.output.contains("84 answered (100 %)"), "\(played.output.suffix(600))")
            #expect(played.output.contains("\"company~index\":"))
            let cards = stage.folder + "/cards.html"
            #expect(try await stage.studyd("cards", study, "--board", board, "-o", cards).code == 0)
            for text in [
                "Are you indoors?", "https://esmira.example.org/diary?user=", "A few things are measured now.",
            ] {
                #expect(Files.text(cards).contains(text), "\(text)")
            }
            let shown = try await stage.tools("demo", study, "--for", "3s", limit: .seconds(120))
            #expect(shown.code == 0 && shown.output.contains("event log intact"), "\(shown)")
        }
    }
}
