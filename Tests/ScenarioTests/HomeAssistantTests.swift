// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import HeldPort
import Patience
import Testing

/// What Home Assistant itself shows of a device, behind mosquitto with the ACL of docs/mqtt.md. Its
/// first start fetches what its integrations need: minutes.
@Suite(.timeLimit(.minutes(20))) struct HomeAssistantTests {
    private static let python = ProcessInfo.processInfo.environment["STUDYD_HA_PYTHON"]
    private static let isThere: Bool = {
        let isThere = python != nil && FileManager.default.isExecutableFile(atPath: "/usr/sbin/mosquitto")
        if !isThere {
            print(
                "SKIPPED: Home Assistant is not there (pip install homeassistant in a Python of its own, STUDYD_HA_PYTHON)"
            )
        }
        return isThere
    }()

    private struct Home {
        let child: Child

        private var lines: [JSON] { child.output.split(separator: "\n").compactMap { try? JSON(parsing: String($0)) } }

        /// The last picture of MQTT's devices.
        var shown: JSON { lines.last { $0["entities"] != .null } ?? .null }
        var warnings: [String] { lines.map { $0["log"].text }.filter { !$0.isEmpty } }

        func state(_ key: String) -> String { shown["entities"][key]["state"].text }
    }

    private static func broker(_ stage: Stage, _ held: HeldPort) async throws -> () throws -> Child {
        let (folder, page) = (stage.folder, Files.text(Programs.package + "/docs/mqtt.md"))
        let acl = try #require(page.components(separatedBy: "```").first { $0.contains("pattern write") })
        try Files.write(acl, to: folder + "/acl")
        try Files.write("", to: folder + "/passwords")
        for user in ["d1", "lab"] {
            let words = ["mosquitto_passwd", "-b", folder + "/passwords", user, "secret"]
            #expect(try await stage.start(words).ended() == 0)
        }
        try Files.write(
            """
            listener \(held.number) 127.0.0.1
            allow_anonymous false
            password_file \(folder)/passwords
            acl_file \(folder)/acl
            user root

            """, to: folder + "/broker.conf")
        return { try stage.start(["/usr/sbin/mosquitto", "-c", folder + "/broker.conf"]) }
    }

    private static func configure(_ stage: Stage, _ held: HeldPort) throws {
        let (path, secret) = (stage.folder + "/studyd.toml", stage.folder + "/secret")
        try Files.write("secret\n", to: secret)
        chmod(secret, 0o600)
        try stage.configure(recordings: nil, measures: ["accelerometer"])
        try Files.write(
            Files.text(path) + """

                [mqtt]
                url = "mqtt://127.0.0.1:\(held.number)"
                device = "d1"
                user = "d1"
                password = "\(secret)"
                silent_after = "0s"

                """, to: path)
        try stage.board()
    }

    @Test(.enabled(if: isThere)) func itShowsADeviceUntilThatIsSilentOffOrGone() async throws {
        try await Stage.with { stage in
            let (held, web) = (try HeldPort(), try HeldPort())
            let start = try await Self.broker(stage, held)
            let broker = try start()
            let receiver = try await LabReceiver(stage)
            try receiver.serve([LabStudy.always("pain", question: "level")])
            try Self.configure(stage, held)
            let agent = try await stage.agent()
            let enrolled = try await stage.studyd("enroll", receiver.studyURL, "--participant", "P017")
            #expect(enrolled.code == 0, "\(enrolled)")
            let script = Programs.package + "/Tests/ScenarioTests/home_assistant.py"
            let home = Home(
                child: try stage.start([
                    Self.python ?? "", script, stage.folder + "/home", String(held.number), String(web.number), "lab",
                    "secret",
                ]))
            func shows(_ what: String, within limit: Duration = patience, _ fits: () -> Bool) async throws {
                try await eventually("\(what): \(home.shown), \(home.child.errors.suffix(500))", within: limit) {
                    fits()
                }
            }
            try await shows("recording", within: .seconds(600)) { home.state("state") == "recording" }
            Self.expectEverything(home.shown)
            try await agent.kill9()
            try await shows("silent") { home.state("state") == "unavailable" }
            let again = try await stage.agent()
            try await shows("back") { home.state("state") == "recording" }
            // Nothing is kept by this broker, so that all it has afterwards was sent once more.
            try await broker.kill9()
            try await shows("no broker") { home.state("free") == "unavailable" }
            _ = try start()
            try await shows("the broker is back") {
                home.state("state") == "recording" && Int(home.state("free")) != nil
            }
            #expect(try await stage.studyd("withdraw").code == 0)
            try await shows("the study was left") { home.shown["devices"] == .list([]) }
            try await again.stop()
            // It says so itself of the broker that was gone, and complains of nothing of ours.
            let complaints = home.warnings.filter { !$0.contains("mqtt.client") }
            #expect(complaints.isEmpty, "\(complaints)")
        }
    }

    /// Names, units and classes as Home Assistant has taken them.
    private static func expectEverything(_ shown: JSON) {
        let device = shown["devices"].list.first ?? .null
        #expect(device["name"].text == "SCENARIO d1" && device["manufacturer"].text == "studyd", "\(shown)")
        let rows: [(key: String, entity: String, kind: String, unit: String, series: String)] = [
            ("state", "sensor.scenario_d1_state", "enum", "", ""),
            ("lastAnswer", "sensor.scenario_d1_last_answer", "timestamp", "", ""),
            ("nextPrompt", "sensor.scenario_d1_next_prompt", "timestamp", "", ""),
            ("battery", "sensor.scenario_d1_battery", "battery", "%", "measurement"),
            ("temperature", "sensor.scenario_d1_temperature", "temperature", "°C", "measurement"),
            ("free", "sensor.scenario_d1_disk_free", "data_size", "B", "measurement"),
            ("waiting", "sensor.scenario_d1_waiting_to_be_sent", "", "", "measurement"),
            ("problem", "binary_sensor.scenario_d1_problem", "problem", "", ""),
        ]
        for row in rows {
            let entity = shown["entities"][row.key]
            #expect(entity["entity"].text == row.entity, "\(row.key): \(entity)")
            #expect(entity["class"].text == row.kind && entity["unit"].text == row.unit, "\(row.key): \(entity)")
            #expect(entity["series"].text == row.series, "\(row.key): \(entity)")
        }
        #expect(
            shown["entities"]["problem"]["state"].text == "off" && Int(shown["entities"]["free"]["state"].text) != nil)
    }
}
