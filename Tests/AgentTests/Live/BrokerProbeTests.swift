// SPDX-License-Identifier: Apache-2.0
import Foundation
import HeldPort
import Patience
import Testing

@testable import Agent

/// The self-test of live views, with Debian's mosquitto as the broker.
@Suite(.timeLimit(.minutes(10))) struct BrokerProbeTests {
    private func finding(_ settings: LiveSettings, haste: Int = 10) throws -> CheckFinding {
        var found: [CheckFinding] = []
        BrokerProbe(settings, study: "study", clock: HastyClock(haste: haste)).run { found.append($0) }
        #expect(found.count == 1)
        return try #require(found.first)
    }

    @Test(.enabled(if: TestBroker.hasProgram)) func itAsksTheBroker() async throws {
        let broker = try await TestBroker(
            ["allow_anonymous true", "acl_file {folder}/acl"], files: ["acl": "topic write studyd/#\n"])
        let url = "mqtt://127.0.0.1:\(broker.port)"
        let good = try finding(try LiveBench(url).settings)
        #expect(good.result == .ok && good.subject == CheckSubject(.server, "mqtt"), "\(good)")
        let barred = try finding(try LiveBench(url, "topic = 'elsewhere'").settings)
        #expect(
            barred.result == .failed && barred.detail.contains("(135") && barred.remedy?.contains("'topic'") == true,
            "\(barred)")
        broker.stop()
        let gone = try finding(try LiveBench(url).settings)
        #expect(gone.result == .failed && gone.detail.contains("Connection refused") && gone.remedy != nil)
    }

    @Test(.enabled(if: TestBroker.hasProgram)) func aBrokerThatRefusesTheDeviceIsNamed() async throws {
        let broker = try await TestBroker(["allow_anonymous false"])
        let barred = try finding(try LiveBench("mqtt://127.0.0.1:\(broker.port)").settings)
        #expect(barred.result == .failed && barred.detail.contains("(13") && barred.remedy != nil, "\(barred)")
    }

    /// MQTT 5.0, 3.2.2.3.5 (Retain Available): the status is retained, and nothing else of what is published.
    @Test(
        .enabled(if: TestBroker.hasProgram),
        arguments: [("", false), ("publish = ['status']", false), ("publish = ['prompts', 'faults']", true)])
    func aBrokerThatKeepsNothingIsNamed(_ table: String, _ isGood: Bool) async throws {
        let broker = try await TestBroker(["allow_anonymous true", "retain_available false"])
        let found = try finding(try LiveBench("mqtt://127.0.0.1:\(broker.port)", table).settings)
        #expect((found.result == .ok) == isGood, "\(found)")
        guard !isGood else { return }
        #expect(found.detail.contains("keeps no retained messages (154)"), "\(found)")
        #expect(found.remedy?.contains("retain_available") == true, "\(found)")
    }

    /// `{folder}` in a table has `cert.pem` of localhost with its key, and `empty.pem`.
    @Test(
        .enabled(if: TestBroker.hasProgram),
        arguments: [
            ("localhost", "ca_file = '{folder}/cert.pem'", [], "took a message"),
            ("127.0.0.1", "ca_file = '{folder}/cert.pem'", [], "for another name"),
            ("localhost", "", [], "from no CA"), ("localhost", "ca_file = '{folder}/empty.pem'", [], "no certificate"),
            (
                "localhost", "ca_file = '{folder}/cert.pem'",
                ["require_certificate true", "cafile {folder}/cert.pem"], "wants a certificate from the device"
            ),
        ] as [(String, String, [String], String)])
    func eachFaultOfTLSHasItsOwnWords(host: String, table: String, lines: [String], words: String) async throws {
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try LiveFeedTests.certificate(in: folder)
        try Data("none\n".utf8).write(to: URL(fileURLWithPath: folder + "/empty.pem"))
        let served = ["certfile {folder}/cert.pem", "keyfile {folder}/key.pem", "allow_anonymous true"] + lines
        let broker = try await TestBroker(served.map { $0.replacing("{folder}", with: folder) })
        let bench = try LiveBench("mqtts://\(host):\(broker.port)", table.replacing("{folder}", with: folder))
        let found = try finding(bench.settings, haste: 1)
        #expect(found.detail.contains(words), "\(found)")
    }

    @Test(.enabled(if: TestBroker.hasProgram)) func aPortWithoutTLSIsNamed() async throws {
        let broker = try await TestBroker()
        let found = try finding(try LiveBench("mqtts://127.0.0.1:\(broker.port)").settings, haste: 1)
        #expect(found.detail.contains("does not speak TLS") && found.remedy?.contains("mqtt://") == true, "\(found)")
    }

    /// RFC 4253, 4.2, and RFC 9112, 4: how these servers begin.
    @Test(arguments: ["SSH-2.0-OpenSSH_9.2\\r\\n", "HTTP/1.1 400 Bad Request\\r\\n\\r\\n"])
    func aServerOfAnotherKindIsNamed(greeting: String) async throws {
        let (held, server) = (try HeldPort(), Process())
        let script = """
            import socket, sys
            server = socket.create_server(('127.0.0.1', int(sys.argv[1])))
            while True:
                client, _ = server.accept()
                client.recv(65536)
                client.sendall(b'\(greeting)')
                client.close()
            """
        server.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        server.arguments = ["python3", "-c", script, String(held.number)]
        try server.run()
        defer {
            kill(server.processIdentifier, SIGKILL)
            server.waitAsleep()
        }
        let settings = try LiveBench("mqtt://127.0.0.1:\(held.number)").settings
        func found() throws -> String { try finding(settings).detail }
        try await eventually("the server's kind is named") { try found().contains("does not speak MQTT") }
    }

    /// MQTT 5.0, 2.4: 135 is "not authorized", of a connection or of a message.
    @Test(
        arguments: [(134, nil, "'password'"), (135, nil, "'password'"), (135, "studyd", "'topic'")]
            as [(Int, String?, String)])
    func whoMayNotConnectIsToldOfTheUserAndWhoMayNotWriteOfTheTopic(
        code: Int, topic: String?, remedy: String
    ) throws {
        let broker = try #require(BrokerAddress("mqtt://h"))
        let said = BrokerReason(code: code).explanation(of: broker, topic: topic)
        #expect(said.remedy?.contains(remedy) == true && said.cause.contains("(\(code)"), "\(said)")
    }

    /// MQTT 5.0, 2.4: a reason code below 0x80 is a success; the rest is failure.
    @Test(
        arguments: [(0, true), (16, true), (127, true), (128, false), (135, false), (159, false)] as [(Int, Bool)])
    func aReasonBelow128IsASuccess(code: Int, isGood: Bool) {
        #expect(BrokerReason(code: code).isGood == isGood)
    }
}
