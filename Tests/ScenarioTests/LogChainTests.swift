// SPDX-License-Identifier: Apache-2.0
import Patience
import Testing

/// Someone with the device in hand takes rows off the end of its log, or rewrites a row and makes
/// every hash after it right again. The device cannot notice, unless its head is gone too; the
/// receiver, which hears with every upload where the log stands, can. Device and receiver are the
/// built programs; the forger is Python (`damage.py`: sqlite3 and hashlib). The idea is RFC 9162's:
/// a head that was seen binds all history before it.
@Suite(.serialized, .timeLimit(.minutes(20))) struct LogChainTests {
    enum Tampering: String, CaseIterable, Sendable { case nothing, endCutOff, rewritten }

    @Test(arguments: Tampering.allCases) func theReceiverFindsWhatTheDeviceCannotTell(_ tampering: Tampering)
        async throws
    {
        try await Stage.with { stage in
            let receiver = try await LabReceiver(stage)
            try receiver.serve([LabStudy.always("pain", question: "level")])
            try stage.configure(recordings: receiver.address + "/files", measures: ["magnetometer"], rotate: "10m")
            try stage.board(.init(wishes: Array(repeating: "pain", count: 60)))
            let enrolled = try await stage.studyd("enroll", receiver.studyURL, "--participant", "P7", "--seed", "5")
            #expect(enrolled.code == 0, "\(enrolled)")

            try await life(stage, receiver, until: 2)
            let backup = stage.folder + "/backup"
            #expect(try await stage.start(["cp", "-a", stage.state, backup]).ended() == 0)
            try await life(stage, receiver, until: 4)
            let early = try await alarms(receiver)
            #expect(early.isEmpty, "\(early)")

            switch tampering {
            case .nothing: break
            case .endCutOff:
                Files.remove(stage.state)
                #expect(try await stage.start(["cp", "-a", backup, stage.state]).ended() == 0)
            case .rewritten:
                let script = Programs.package + "/Tests/AgentTests/Store/damage.py"
                let forger = try stage.start(["python3", script, "do", "forged", stage.state, stage.state, "1"])
                guard try await forger.ended() == 0 else {
                    return print("SKIPPED: forging a log needs python3 with sqlite3")
                }
                // What was kept beside the log would contradict it.
                #expect(try await stage.start(["rm", stage.state + "/studyd.head"]).ended() == 0)
            }
            // For the device itself everything is in order, unless its head is gone.
            let isHeadGone = tampering == .rewritten
            let verdict = try await stage.studyd("verify-log")
            #expect(verdict.code == (isHeadGone ? 1 : 0), "\(verdict)")
            // What the receiver has signed is in the log, and the forger lacks its key.
            let disproof = "is not the row that a receiver has confirmed"
            #expect(verdict.errors.contains(disproof) == isHeadGone, "\(verdict)")
            let keyed = try stage.start([Programs.receiver, "devices", "key", "--data", stage.folder + "/receiver"])
            #expect(try await keyed.ended() == 0)
            let key = keyed.output.filter { !$0.isNewline }
            let confirmed = try await stage.studyd("verify-log", "--receiver-key", key)
            #expect(confirmed.output.contains("confirmed by receiver \(key) at ") == !isHeadGone, "\(confirmed)")
            let other = try await stage.studyd("verify-log", "--receiver-key", String(repeating: "0", count: 64))
            #expect(other.code == 1 && other.errors.contains("no row was confirmed by the receiver 0000"))
            let short = try await stage.studyd("verify-log", "--receiver-key", "abc")
            #expect(short.code == 2 && short.errors.contains("64 hexadecimal digits"), "\(short)")
            let wrong = try await stage.studyd("verify-log", stage.folder + "/studyd.toml")
            #expect(wrong.code == 1 && wrong.errors.contains("studyd.toml: cannot be read as an event log"), "\(wrong)")
            let told = try await stage.studyd(
                "verify-log", "--receiver-key", String(repeating: "0", count: 64), "--json")
            let problems = try JSON(parsing: told.output)["problems"].list.map { "studyd: " + $0.text }
            #expect(
                problems
                    == other.errors.split(separator: "\n").map(String.init).filter { !$0.contains("is intact except") })

            let before = try await head(receiver)
            let agent = try await stage.agent()
            switch tampering {
            case .nothing:
                try await eventually("further answers arrive") { try await head(receiver) > before }
                #expect(try await alarms(receiver).isEmpty)
            case .endCutOff:
                try await eventually("the receiver misses rows") {
                    try await alarms(receiver).contains { $0.contains("missing") || $0.contains("row ") }
                }
            case .rewritten:
                try await eventually("the receiver knows other rows") {
                    try await alarms(receiver).contains { $0.contains("the log was rewritten") }
                }
            }
            #expect(try await stage.status()["salvages"].list.isEmpty == !isHeadGone, "what the device noticed")
            try await agent.kill9()
        }
    }

    /// The agent runs until the receiver has that many answers, and dies without a word.
    private func life(_ stage: Stage, _ receiver: LabReceiver, until answers: Int) async throws {
        let agent = try await stage.agent()
        try await eventually("\(answers) answers arrive") {
            try await receiver.answers().count >= answers
        }
        try await agent.kill9()
    }

    private func alarms(_ receiver: LabReceiver) async throws -> [String] {
        try await receiver.get("/api/logs").list.flatMap { $0["alarms"].list.map(\.text) }
    }

    /// The last row that the receiver knows of.
    private func head(_ receiver: LabReceiver) async throws -> Int {
        try await receiver.get("/api/logs").list.map { $0["sequence"].int }.max() ?? 0
    }
}
