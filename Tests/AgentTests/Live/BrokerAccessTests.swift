// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Patience
import Testing

@testable import Agent

/// The ACL of docs/mqtt.md, as mosquitto itself keeps it.
@Suite(.timeLimit(.minutes(10)), .enabled(if: TestBroker.isThere)) struct BrokerAccessTests {
    private static let users = ["d1", "d2", "lab"]

    /// A broker with that ACL, and the password `USER-password` for each user.
    private func broker() async throws -> TestBroker {
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let passwords = folder + "/passwords"
        try Data().write(to: URL(fileURLWithPath: passwords))
        for user in Self.users {
            _ = try #require(ReportSchema.output(["mosquitto_passwd", "-b", passwords, user, user + "-password"]))
        }
        return try await TestBroker(
            ["allow_anonymous false", "password_file {folder}/passwords", "acl_file {folder}/acl"],
            files: ["acl": try Self.acl(), "passwords": try String(contentsOfFile: passwords, encoding: .utf8)])
    }

    private static func acl() throws -> String {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../docs/mqtt.md")
        let blocks = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```")
        return try #require(blocks.first { $0.contains("pattern write") })
    }

    /// The broker's reason code for each topic.
    private func codes(_ broker: TestBroker, _ user: String, _ topics: [String]) throws -> [String: Int] {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "mqtt_writer.py")
        let words = [TestBroker.python, script.path, String(broker.port), user, user + "-password"]
        let output = try #require(ReportSchema.output(words + topics))
        var codes: [String: Int] = [:]
        for line in output.split(separator: "\n") {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            codes[object?["topic"] as? String ?? ""] = object?["code"] as? Int
        }
        return codes
    }

    private static let own = ["studyd/s/d1/status", "studyd/other/d1/fault", "homeassistant/device/d1/studyd-s/config"]
    private static let others = [
        "studyd/s/d2/status", "homeassistant/device/d2/studyd-s/config", "homeassistant/device/studyd-s-d2/config",
        "homeassistant/sensor/d2/state/config", "homeassistant/status", "studyd/status", "elsewhere",
    ]

    /// MQTT 5.0, 3.4.2.1: 0 is taken, 16 is taken and has no reader, 135 is not authorised.
    @Test func aDeviceWritesOfItselfAlone() async throws {
        let broker = try await broker()
        let answers = try codes(broker, "d1", Self.own + Self.others)
        for topic in Self.own { #expect([0, 16].contains(answers[topic]), "\(topic): \(answers)") }
        for topic in Self.others { #expect(answers[topic] == 135, "\(topic): \(answers)") }
    }

    @Test func theLabReadsEverythingAndWritesNothing() async throws {
        let broker = try await broker()
        let lab = try await broker.reader(["lab", "lab-password"])
        let device = try await broker.reader(["d2", "d2-password"])
        for (topic, code) in try codes(broker, "lab", Self.own + Self.others) { #expect(code == 135, "\(topic)") }
        _ = try codes(broker, "d1", Self.own)
        for topic in Self.own { _ = try await lab.first(topic) { $0.topic == topic } }
        // Its own comes, which was published later; nothing of the other did before.
        #expect(device.messages.isEmpty)
        lab.end()
        device.end()
    }

    @Test func theAgentNeedsNoMoreThanThat() async throws {
        let broker = try await broker()
        let password = broker.folder + "/secret"
        try Data("d1-password\n".utf8).write(to: URL(fileURLWithPath: password))
        chmod(password, 0o600)
        let bench = try LiveBench("mqtt://127.0.0.1:\(broker.port)", "user = 'd1'\npassword = '\(password)'")
        try await bench.append(Fixture.enrolled)
        try await bench.publish {
            let lab = try await broker.reader(["lab", "lab-password"])
            _ = try await lab.first("the status") { $0.topic == "studyd/study/d1/status" && $0["state"] == "idle" }
            _ = try await lab.first("discovery") { $0.topic == "homeassistant/device/d1/studyd-study/config" }
            #expect(bench.view.now.live?.refused == 0)
            lab.end()
        }
    }
}
