// SPDX-License-Identifier: Apache-2.0
import Glibc
import HeldPort
import Patience
import Testing

/// The server is away or misbehaves, and comes back: everything arrives afterwards.
@Suite struct BadServerTests {
    @Test(.timeLimit(.minutes(20)), arguments: ["down", "500", "close", "hang", "lost"])
    func everythingArrivesAfterwards(_ fault: String) async throws {
        try await Stage.with { stage in
            let port = try HeldPort()
            var receiver = try await LabReceiver(stage, port: port.number)
            try receiver.serve([LabStudy.always("pain", question: "level")])
            try stage.configure(recordings: receiver.address + "/files", measures: ["accelerometer"])
            try stage.board(.init(wishes: ["pain", "pain"]))
            let enrolled = try await stage.studyd("enroll", receiver.studyURL, "--participant", "P3")
            #expect(enrolled.code == 0, "\(enrolled)")
            if fault == "down" { try await receiver.process.kill9() } else { try await receiver.meet(fault) }

            let agent = try await stage.agent()
            let memory = agent.memory
            try await eventually("a submission meets the fault \(fault)") { try await Self.hasMet(fault, stage) }
            if fault == "down" || fault == "hang" {
                try await receiver.process.kill9()
                receiver = try await LabReceiver(stage, port: port.number)
            } else {
                try await receiver.meet("none")
            }
            try await eventually("both submissions and a recording arrive") {
                let items = try await stage.status()["ledger"]["items"]
                let isSent = items["waiting"].int + items["sending"].int + items["refused"].int == 0
                let (answers, files) = (try await receiver.answers().count, try await receiver.files().count)
                return answers == 2 && files > 0 && isSent
            }
            #expect(agent.memory < memory + (32 << 20), "from \(memory) to \(agent.memory) bytes")
            try await agent.stop()
            try await stage.expectWhole("\(fault)")
        }
    }

    /// A request has failed, or hangs.
    private static func hasMet(_ fault: String, _ stage: Stage) async throws -> Bool {
        let status = try await stage.status(uploads: true)
        guard Stage.submissions(status) > 0 else { return false }
        let items = status["uploads"].list
        return switch fault {
        case "hang": items.contains { $0["state"].text == "sending" }
        case "500": items.contains { $0["note"].text.contains("500") }
        default: items.contains { $0["attempts"].int > 0 && !$0["note"].text.isEmpty && $0["state"].text == "waiting" }
        }
    }
}
