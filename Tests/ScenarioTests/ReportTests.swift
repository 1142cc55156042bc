// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Testing

/// The built programs and a lab that is python's own server: what a device reports, with which key,
/// and what it says of a lab that refuses it.
@Suite(.timeLimit(.minutes(20))) struct ReportTests {
    /// The lab: its bodies as JSON, in their order.
    private struct ReportLab {
        let stage: Stage
        let folder: String
        let address: String

        init(_ stage: Stage) async throws {
            self.stage = stage
            let folder = stage.folder + "/lab"
            mkdir(folder, 0o755)
            let script = Programs.package + "/Tests/ScenarioTests/report_lab.py"
            let process = try stage.start(["python3", script, folder])
            let port: String = try await eventually("the lab listens; it said: \(process.errors)") {
                process.output.split(separator: "\n").first.map(String.init)
            }
            (self.folder, address) = (folder, "http://127.0.0.1:" + port)
        }

        func answer(_ status: Int?) throws {
            guard let status else {
                unlink(folder + "/answer")
                return
            }
            try Files.write(String(status), to: folder + "/answer")
        }

        var all: [JSON] {
            get throws {
                try Files.text(folder + "/bodies").split(separator: "\n").map { try JSON(parsing: String($0)) }
            }
        }

        func reports(_ reason: String? = nil) throws -> [JSON] {
            try all.filter { $0["path"].text == "/reports" && (reason == nil || $0["body"]["reason"].text == reason) }
        }
    }

    private static func configure(_ stage: Stage, _ lab: ReportLab) throws {
        try stage.configure(recordings: nil, measures: ["accelerometer"])
        let path = stage.folder + "/studyd.toml"
        try Files.write(Files.text(path) + "\n[report]\nurl = \"\(lab.address)\"\n", to: path)
        try stage.board(.init(wishes: Array(repeating: "pain", count: 3)))
    }

    @Test func aDeviceReportsFromItsEnrolmentToItsEnd() async throws {
        try await Stage.with { stage in
            let receiver = try await LabReceiver(stage)
            let lab = try await ReportLab(stage)
            try receiver.serve([LabStudy.always("pain", question: "level")])
            try Self.configure(stage, lab)
            let agent = try await stage.agent()
            try lab.answer(403)
            let given = stage.folder + "/key"
            try Files.write("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\n", to: given)
            chmod(given, 0o600)
            let enrolled = try await stage.studyd(
                "enroll", receiver.studyURL, "--participant", "P017", "--device-key-file", given)
            #expect(enrolled.code == 0, "\(enrolled)")

            // A lab that refuses the device: it goes on, keeps everything and says so.
            try await eventually("the device says that it was revoked") {
                let status = try await stage.studyd("status").output
                return status.contains("revoked (403)") && status.contains("FAULT       report:")
            }
            // The public half, by OpenSSL 3.0.
            let publicKey = "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8"
            #expect(try lab.reports().allSatisfy { $0["key"].text == publicKey })
            try lab.answer(nil)
            try await eventually("the enrolment is reported; the agent said: \(agent.errors.suffix(500))") {
                try lab.reports("enrolment").contains { $0["status"].int == 200 }
            }
            try await eventually("status says so, and the fault is gone") {
                let status = try await stage.status()
                return status["report"]["lastReceived"]["number"].int > 0 && status["faults"].list.isEmpty
            }
            let report = try #require(try lab.reports("enrolment").last { $0["status"].int == 200 })
            #expect(report["device"].text == "P017" && report["body"]["participant"].text == "P017")
            #expect(report["body"]["program"]["version"].text.isEmpty == false)
            #expect(report["body"]["configuration"].text.count == 64)

            // Leaving ends it: one last report, and the manifest of the day.
            let left = try await stage.studyd("withdraw")
            #expect(left.code == 0, "\(left)")
            try await eventually("the end is reported, and the day's manifest comes") {
                try lab.reports("end").contains { $0["status"].int == 200 }
                    && lab.all.contains { $0["path"].text == "/manifests" && $0["status"].int == 200 }
            }
            #expect(try lab.reports("end").last?["body"]["state"].text == "ended")
            try await agent.stop()
            for state in ["enrolled", "synchronised", "revoked", "accepted", "left"] {
                let lines = agent.errors.split(separator: "\n").filter { $0.contains("STUDYD_STATE=\(state)") }
                #expect(lines.count == 1, "\(state): \(lines)")
            }
            #expect(try await stage.studyd("status").output.contains("\nreport      "))

            let bundle = stage.folder + "/bundle.zip"
            let written = try await stage.studyd("support", "-o", bundle)
            #expect(written.code == 0, "\(written)")
            let listed = try stage.start(["python3", "-m", "zipfile", "-l", bundle])
            #expect(try await listed.ended() == 0 && listed.output.contains("journal.txt"))
            let taken = try stage.start(["python3", "-m", "zipfile", "-e", bundle, stage.folder + "/bundle"])
            #expect(try await taken.ended() == 0)
            for text in ["P017", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", "SCENARIO"] {
                let found = try stage.start(["grep", "-rF", text, stage.folder + "/bundle"])
                #expect(try await found.ended() == 1, "\(text): \(found.output)")
            }

            // The next participant hands the device over without having left.
            let again = try await stage.studyd("enroll", receiver.studyURL, "--participant", "P018")
            #expect(again.code == 0, "\(again)")
            let handed = try await stage.studyd("hand-over", "--delete-undelivered")
            #expect(handed.code == 0, "\(handed)")
            #expect(try lab.reports("end").map { $0["device"].text } == ["P017", "P018"])
            #expect(access(stage.state + "/device.key", F_OK) != 0 && access(stage.state + "/report", F_OK) != 0)
        }
    }
}
