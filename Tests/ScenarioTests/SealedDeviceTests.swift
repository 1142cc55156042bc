// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Testing

/// A device that seals what it keeps: what a thief finds on its card, what it still does itself, and
/// what the lab can do with its key. The key is age-keygen's, what opens it is age.
@Suite(.timeLimit(.minutes(30))) struct SealedDeviceTests {
    private static let hasTools: Bool = {
        let names = ["age", "age-keygen", "sqlite3", "zstd", "python3"]
        let isThere = names.allSatisfy { access("/usr/bin/" + $0, X_OK) == 0 }
        if !isThere { print("SKIPPED: install age, sqlite3, zstd and python3 to look at a sealed device") }
        return isThere
    }()
    /// In the study are only its neighbours, ten at most.
    private static let answer = "271828187"
    private static let slider = LabStudy.slider("level", minimum: 271_828_180, maximum: 271_828_190)
    private static let participant = #"{"latency":"0s","answers":{"level":\#(answer)},"otherwise":"first"}"#

    private struct Lab {
        let identity: String
        let recipient: String

        init(_ stage: Stage) async throws {
            identity = stage.folder + "/identity.txt"
            #expect(try await stage.start(["age-keygen", "-o", identity]).ended() == 0)
            let maker = try stage.start(["age-keygen", "-y", identity])
            #expect(try await maker.ended() == 0)
            recipient = maker.output.split(separator: "\n").first.map(String.init) ?? ""
        }
    }

    /// A device that has answered twice, once behind a restart, and was killed; nothing was delivered.
    private func answered(_ stage: Stage, _ lab: Lab?) async throws {
        let module = LabStudy.module(
            "pain", sticky: true, times: [(0, 0)], offset: -1, graph: "level", questions: [Self.slider])
        let study = LabStudy(postURL: "http://127.0.0.1:1/post", modules: [module]).text
        try Files.write(study, to: stage.folder + "/study.json")
        try stage.configure(recordings: "http://127.0.0.1:1/files", measures: [])
        if let lab {
            let settings = stage.folder + "/studyd.toml"
            try Files.write(
                Files.text(settings) + "\n[seal]\nrecipients = [\"\(lab.recipient)\"]\n", to: settings)
        }
        try stage.board(.init(participant: Self.participant, wishes: ["pain", "pain"]))
        #expect(try await stage.studyd("enroll", stage.folder + "/study.json", "--participant", "P1").code == 0)
        let agent = try await stage.agent()
        try await eventually("it is answered; it said: \(agent.errors)") { try await stage.submissions() >= 1 }
        try await agent.kill9()
    }

    private func traces(_ stage: Stage) async throws -> [Substring] {
        let script = Programs.package + "/Tests/ScenarioTests/traces.py"
        let look = try stage.start(["python3", script, stage.state, Self.answer])
        #expect(try await look.ended() == 0, "\(look.errors)")
        return look.output.split(separator: "\n")
    }

    @Test(.enabled(if: hasTools)) func withoutSealingTheAnswerIsFound() async throws {
        try await Stage.with { stage in
            try await answered(stage, nil)
            #expect(try await traces(stage).contains { $0.hasPrefix("studyd.sqlite") })
        }
    }

    @Test(.enabled(if: hasTools)) func aThiefReadsNoAnswerAndTheLabAndTheDeviceDo() async throws {
        try await Stage.with { stage in
            let lab = try await Lab(stage)
            try await answered(stage, lab)
            #expect(try await traces(stage) == [])

            // The device itself goes on as ever.
            let history = try await stage.studyd("history", "--json")
            #expect(history.code == 0 && history.output.contains(Self.answer) && history.errors.isEmpty)
            #expect(try await stage.studyd("history", "--events").output.contains("\"submitted\""))
            #expect(try await stage.studyd("verify-log").output.contains("event log intact"))
            #expect(try await traces(stage) == [])

            try await loseKey(stage)
            try await openWithAge(stage, lab)
            try await export(stage, lab)
        }
    }

    /// Everything that needs no answer works without the key, and what does need one says why not.
    private func loseKey(_ stage: Stage) async throws {
        let key = stage.state + "/seal.key"
        let text = Files.text(key)
        #expect(text.hasPrefix("AGE-SECRET-KEY-1"))
        #expect(unlink(key) == 0)
        let history = try await stage.studyd("history", "--json")
        #expect(history.code == 0 && !history.output.contains(Self.answer))
        #expect(history.errors.contains("put seal.key of the state folder back"), "\(history.errors)")
        let events = try await stage.studyd("history", "--events")
        #expect(events.code == 0 && events.output.contains("\"runOpened\"") && !events.output.contains("\"submitted\""))
        #expect(try await stage.studyd("verify-log").code == 0)
        let status = try await stage.status()
        #expect(status["sealedAnswers"].text.contains("seal.key"))
        #expect(Stage.submissions(status) >= 1)
        let support = try await stage.studyd("support", "-o", stage.folder + "/support.zip")
        #expect(support.code == 0 && support.errors.contains("seal.key"), "\(support.errors)")
        #expect(access(key, F_OK) != 0, "who only reads makes no key")
        try Files.write(text, to: key)
        chmod(key, 0o600)
        #expect(try await stage.studyd("history", "--json").output.contains(Self.answer))
    }

    /// As docs/security.md has it.
    private func openWithAge(_ stage: Stage, _ lab: Lab) async throws {
        let command = """
            sqlite3 \(stage.state)/studyd.sqlite "SELECT json_extract(body, '$.age') FROM event WHERE kind = 'submitted' LIMIT 1" \
            | base64 -d | age -d -i \(lab.identity)
            """
        let opened = try stage.start(["/bin/sh", "-c", command])
        #expect(try await opened.ended() == 0, "\(opened.errors)")
        #expect(opened.output.contains(Self.answer))
    }

    private func export(_ stage: Stage, _ lab: Lab) async throws {
        for isOpened in [false, true] {
            let folder = stage.folder + "/set\(isOpened)"
            let words = ["export", "--data", stage.state, "-o", folder, "--study-file", stage.folder + "/study.json"]
            let made = try stage.start([Programs.receiver] + words + (isOpened ? ["--key", lab.identity] : []))
            #expect(try await made.ended() == 0, "\(made.errors)")
            let answers = Files.names(folder).map { Files.text(folder + "/" + $0) }
            #expect(answers.contains { $0.contains("," + Self.answer) } == isOpened)
            #expect(made.errors.contains("--key identity.txt") == !isOpened, "\(made.errors)")
        }
    }
}
