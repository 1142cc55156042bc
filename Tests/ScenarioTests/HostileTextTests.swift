// SPDX-License-Identifier: Apache-2.0
import Patience
import Testing

/// Commands print a study's texts as text.
@Suite(.timeLimit(.minutes(10))) struct HostileTextTests {
    /// As in a JSON file: ESC, a CSI of C1, a line break, and a right-to-left override.
    private static let text = #"x\u001b[2J\u009b31m\nforged: 1\u202ey"#
    private static let shown = #"x\u001B[2J\u009B31m"#
    /// The same where JSON has spelled ESC already.
    private static let json = #"x\u001b[2J\u009B31m"#

    @Test func aTerminalObeysNothingOfAStudy() async throws {
        try await Stage.with { stage in
            try stage.configure(recordings: nil, measures: [])
            try stage.board()
            let file = stage.folder + "/study.json"
            let module = LabStudy.module(
                Self.text, sticky: false, times: [(10, 0)], offset: 0, graph: Self.text,
                questions: [LabStudy.slider(Self.text)])
            let study = LabStudy(name: Self.text, postURL: "http://127.0.0.1:9/schema", modules: [module])
            try Files.write(study.text, to: file)
            let board = ["--board", Programs.package + "/boards/simulated.toml"]
            for words in [["validate"] + board, ["plan"], ["simulate", "--days", "2"] + board] {
                let child = try stage.start([Programs.studyd, words[0], file] + words.dropFirst())
                #expect(try await child.ended() == 0, "\(child.errors)")
                Self.expectText(child.output + child.errors, Self.shown)
            }
            let enrolled = try await stage.studyd("enroll", file)
            #expect(enrolled.code == 0, "\(enrolled)")
            for (command, shown) in [("study", Self.shown), ("history", Self.shown), ("status", "")] {
                try await Self.expectText(of: [command], shown, stage)
            }
            for words in [["study", "--json"], ["history", "--json"]] {
                try await Self.expectText(of: words, Self.json, stage)
            }
        }
    }

    @Test func aTerminalObeysNothingOfALetterOrAConsent() async throws {
        try await Stage.with { stage in
            let lab = try await ESMiraLab(stage, participant: #"{"latency":"0s","otherwise":"first"}"#, wishes: ["71"])
            let consent = #"{"version":"1.0","recordedBy":"\#(Self.text)","eligible":true}"#
            try Files.write(consent, to: stage.folder + "/consent.json")
            let enrolled = try await stage.studyd(
                "enroll", lab.receiver.address + "/esmira/", "--access-key", "mood", "--consent",
                stage.folder + "/consent.json")
            #expect(enrolled.code == 0, "\(enrolled)")
            try await Self.expectText(of: ["study"], " by " + Self.shown + #"\u000Aforged: 1\u202Ey"#, stage)
            let agent = try await stage.agent()
            try await eventually("the server knows the box") { try await !lab.rows("events").isEmpty }
            try await lab.control("message?study=7", "x\u{1B}[2J\u{9B}31m\u{202E}y")
            #expect(try await lab.poll().contains(Self.shown))
            try await eventually("it can be read") {
                try await stage.studyd("messages").output.contains(Self.shown)
            }
            try await Self.expectText(of: ["messages"], Self.shown + #"\u202Ey"#, stage)
            try await Self.expectText(of: ["messages", "--json"], Self.json, stage)
            try await agent.stop()
        }
    }

    private static func expectText(of words: [String], _ shown: String, _ stage: Stage) async throws {
        let child = try stage.start([Programs.studyd] + words + ["--config", stage.folder + "/studyd.toml"])
        #expect(try await child.ended() == 0, "\(words): \(child.errors)")
        expectText(child.output + child.errors, shown)
    }

    private static func expectText(_ output: String, _ shown: String) {
        #expect(shown.isEmpty || output.contains(shown), "\(output)")
        let obeyed = output.unicodeScalars.filter {
            $0 != "\n" && ($0.properties.generalCategory == .control || $0 == "\u{202E}")
        }
        #expect(obeyed.isEmpty, "\(output.debugDescription)")
        #expect(!output.split(separator: "\n").contains { $0.hasPrefix("forged") }, "\(output)")
    }
}
