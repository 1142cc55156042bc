// SPDX-License-Identifier: Apache-2.0
import Foundation
import HeldPort
import Patience
import S3Servers
import Testing

/// The built agent and Debian's mosquitto, which speaks for a device that says nothing more.
@Suite(.timeLimit(.minutes(20))) struct LiveViewTests {
    private static let python = ProcessInfo.processInfo.environment["STUDYD_MQTT_PYTHON"] ?? "python3"
    private static let isThere: Bool = {
        guard FileManager.default.isExecutableFile(atPath: "/usr/sbin/mosquitto") else {
            print("SKIPPED: mosquitto is not there (apt-get install mosquitto)")
            return false
        }
        return S3TestServer.runs(python, importing: "paho.mqtt.client")
    }()

    /// MQTT 5.0, 3.1.2.5: the will is published when the connection is closed without a DISCONNECT.
    @Test(.enabled(if: isThere)) func aKilledAgentIsSilentAndOneThatComesBackIsNot() async throws {
        try await Stage.with { stage in
            let held = try HeldPort()
            try Files.write(
                "listener \(held.number) 127.0.0.1\nallow_anonymous true\nuser root\n",
                to: stage.folder + "/broker.conf")
            _ = try stage.start(["/usr/sbin/mosquitto", "-c", stage.folder + "/broker.conf"])
            let script = Programs.package + "/Tests/AgentTests/Live/mqtt_reader.py"
            let receiver = try await LabReceiver(stage)
            try receiver.serve([LabStudy.always("pain", question: "level")])
            try stage.configure(recordings: nil, measures: ["accelerometer"])
            let path = stage.folder + "/studyd.toml"
            let table = "\n[mqtt]\nurl = \"mqtt://127.0.0.1:\(held.number)\"\ndevice = \"d1\"\nsilent_after = \"0s\"\n"
            try Files.write(Files.text(path) + table, to: path)
            try stage.board()
            let agent = try await stage.agent()
            let enrolled = try await stage.studyd("enroll", receiver.studyURL, "--participant", "P017")
            #expect(enrolled.code == 0, "\(enrolled)")
            try await eventually("status says so") { try await stage.status()["live"]["connected"].isTrue }
            let checked = try await stage.studyd("check", "--json")
            #expect(checked.output.contains("took a message in"), "\(checked)")
            // It reads its input's end as its own, which this one never has.
            let reader = try stage.start(["sh", "-c", "sleep 1000 | \(Self.python) \(script) \(held.number)"])
            func states() -> [String] {
                reader.output.split(separator: "\n").compactMap { try? JSON(parsing: String($0)) }
                    .filter { $0["topic"].text.hasSuffix("/d1/status") }
                    .compactMap { try? JSON(parsing: $0["payload"].text)["state"].text }
            }
            try await eventually("the state is seen") {
                states().last.map { ["idle", "recording"].contains($0) } == true
            }
            try await agent.kill9()
            try await eventually("silent: \(states())") { states().last == "silent" }
            let again = try await stage.agent()
            try await eventually("back: \(states())") {
                states().last.map { ["idle", "recording"].contains($0) } == true
            }
            try await again.stop()
            try await eventually("off: \(states())") { states().last == "off" }
        }
    }
}
