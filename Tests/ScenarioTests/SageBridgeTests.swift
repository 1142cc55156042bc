// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Testing

/// A task of SageResearch on the real agent, and its archive on the way to a Bridge server
/// in its own calls.
@Suite(.timeLimit(.minutes(20))) struct SageBridgeTests {
    /// Two reactions on the simulated board: its light goes on, its button is pressed.
    private static let task = """
        {"type": "assessment", "identifier": "quick", "versionString": "1.0.0", "steps": [
        {"type": "reactionTime", "identifier": "reaction", "title": "Press", "minimumStimulusInterval": 0.3,
        "maximumStimulusInterval": 0.6, "timeout": 2, "numberOfAttempts": 2},
        {"type": "completion", "identifier": "completion", "title": "Done"}]}
        """

    private func prepare(_ stage: Stage, account: String) async throws -> LabReceiver {
        mkdir(stage.folder + "/accounts", 0o755)
        mkdir(stage.folder + "/sage", 0o755)
        try Files.write(account, to: stage.folder + "/accounts/bridge.json")
        let receiver = try await LabReceiver(stage, more: ["--bridge", stage.folder + "/accounts"])
        try Files.write(Self.task, to: stage.folder + "/sage/quick.json")
        try Files.write(
            """
            platform = "sage"
            identifier = "LAB"
            app_id = "lab"
            destination = "\(receiver.address)/bridge"
            [[task]]
            file = "quick.json"
            """, to: stage.folder + "/sage/study.toml")
        try Files.write("secret\n", to: stage.folder + "/secret")
        chmod(stage.folder + "/secret", 0o600)
        try stage.configure(recordings: nil, measures: [])
        let settings = Files.text(stage.folder + "/studyd.toml")
        try Files.write(
            settings + "\n[sage]\nexternal_id = \"p01\"\ncredential = \"\(stage.folder)/secret\"\n",
            to: stage.folder + "/studyd.toml")
        try stage.board(
            .init(
                participant: #"{"latency":"0s","answers":{"reaction":"perfect"},"otherwise":"first"}"#,
                wishes: ["quick"]))
        return receiver
    }

    @Test func anArchiveGoesToBridgeInItsCallsOnceAndWhole() async throws {
        try await Stage.with { stage in
            _ = try await prepare(
                stage, account: #"{"appId":"lab","accounts":[{"externalId":"p01","password":"secret"}]}"#)
            let enrolled = try await stage.studyd("enroll", stage.folder + "/sage", "--participant", "p01")
            #expect(enrolled.code == 0, "\(enrolled)")
            let agent = try await stage.agent()
            let archive = stage.folder + "/receiver/bridge/1.zip"
            try await eventually("the archive arrives; the agent said: \(agent.errors)") {
                !Files.bytes(archive).isEmpty
            }
            try await eventually("Bridge's word that it is complete is the receipt") {
                try await stage.status()["ledger"]["items"]["delivered"].int >= 1
            }
            // By Python's zipfile, which others wrote.
            let tree = try await unzipped(stage, archive, "assessmentResult.json")
            let step = try #require(tree["stepHistory"].list.first { $0["identifier"].text == "reaction" })
            #expect(step["type"].text == "answer" && step["answerType"]["type"].text == "object")
            let attempts = step["value"]["results"].list
            #expect(attempts.count == 2 && attempts.allSatisfy { $0["outcome"].text == "reacted" }, "\(step)")
            #expect(Files.names(stage.folder + "/receiver/bridge") == ["1.zip"])
            try await agent.stop()
            try await stage.expectWhole()
        }
    }

    private func unzipped(_ stage: Stage, _ archive: String, _ name: String) async throws -> JSON {
        let child = try stage.start([
            "/usr/bin/env", "python3", "-m", "zipfile", "-e", archive, stage.folder + "/unzipped",
        ])
        #expect(try await child.ended() == 0, "\(child.errors)")
        return try JSON(parsing: Files.text(stage.folder + "/unzipped/" + name))
    }
}
