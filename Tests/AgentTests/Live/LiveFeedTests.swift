// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Glibc
import HeldPort
import Patience
import SystemKit
import Testing

@testable import Agent
@testable import Study

/// What is published, by Debian's mosquitto as the broker and PyPI's paho-mqtt as the reader.
@Suite(.timeLimit(.minutes(10)), .enabled(if: TestBroker.isThere)) struct LiveFeedTests {
    private let base = "studyd/study/d1"

    /// cloudevents/spec, mqtt-protocol-binding 3.1: attributes are user properties, the payload is the data
    /// alone.
    @Test func theStatusIsRetainedAsACloudEventForLaterReaders() async throws {
        let broker = try await TestBroker()
        let bench = try LiveBench("mqtt://127.0.0.1:\(broker.port)")
        try await bench.append(Fixture.enrolled)
        try await bench.publish {
            try await bench.connected()
            try await eventually("two messages are taken") { (bench.view.now.live?.published ?? 0) >= 2 }
            let reader = try await broker.reader()
            let status = try await reader.first("the status") { $0.topic == base + "/status" }
            #expect(status.isRetained && status.qos == 1 && status.contentType == "application/json")
            #expect(status["state"] == "idle")
            #expect(status.properties["specversion"] == "1.0" && status.properties["type"] == "studyd.status")
            #expect(status.properties["source"] == "/" + base && status.properties["id"]?.isEmpty == false)
            let time = try #require(status.properties["time"])
            #expect(time.contains("T") && time.hasSuffix("+01:00"))
            #expect(!status.text.contains("ABC23456"))
            reader.end()
        }
    }

    /// homeassistant/components/mqtt/schemas.py of home-assistant/core: what it refuses to be without, and
    /// which keys it knows.
    @Test func homeAssistantIsToldOfTheDevice() async throws {
        let broker = try await TestBroker()
        let bench = try LiveBench("mqtt://127.0.0.1:\(broker.port)")
        try await bench.append(Fixture.enrolled)
        try await bench.publish {
            let reader = try await broker.reader()
            let found = try await reader.first("discovery") { $0.topic.hasPrefix("homeassistant/") }
            // `<discovery_prefix>/device/<node_id>/<object_id>/config`, ids of [a-zA-Z0-9_-].
            #expect(found.topic == "homeassistant/device/d1/studyd-study/config")
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(found.text.utf8)) as? [String: Any])
            #expect(
                Set(object.keys) == [
                    "device", "origin", "components", "state_topic", "availability_topic", "availability_template",
                ])
            let device = try #require(object["device"] as? [String: Any])
            #expect((device["identifiers"] as? [String])?.isEmpty == false)
            #expect((object["origin"] as? [String: Any])?["name"] as? String == "studyd")
            let components = try #require(object["components"] as? [String: [String: Any]])
            #expect(components.values.allSatisfy { ["sensor", "binary_sensor"].contains($0["platform"] as? String) })
            let ids = components.values.compactMap { $0["unique_id"] as? String }
            #expect(Set(ids).count == components.count && components.count == 8)
            #expect(components["battery"]?["device_class"] as? String == "battery")
            #expect(
                components["lastAnswer"]?["value_template"] as? String == "{{ value_json.lastAnswer | default(none) }}")
            reader.end()
        }
    }

    @Test func promptsFeaturesAndFaultsCome() async throws {
        let broker = try await TestBroker()
        let bench = try LiveBench("mqtt://127.0.0.1:\(broker.port)")
        try await bench.append(Fixture.enrolled, .concluded(occurrence: Fixture.record(1), outcome: .expired))
        try await bench.publish {
            try await bench.connected()
            let reader = try await broker.reader()
            try await bench.append(.concluded(occurrence: Fixture.record(2), outcome: .missed(.deviceOff)))
            let prompt = try await reader.first("the outcome") { $0.topic == base + "/prompt" }
            // What ended before the agent began is no news.
            #expect(
                prompt["occurrence"] == "mood/2" && prompt["outcome"] == "missed" && prompt["reason"] == "device-off")
            #expect(!prompt.isRetained && prompt["presses"] == nil)
            bench.news.add([
                FeatureEpoch(
                    source: "accelerometer", start: Instant(seconds: 1_800_000_000), length: .seconds(60),
                    columns: ["enmo", "angle"], values: [0.03, nil], coverage: 1)
            ])
            let features = try await reader.first("features") { $0.topic == base + "/features" }
            #expect(features.text.contains(#""values":{"enmo":0.03,"angle":null}"#))
            bench.view.change { $0.fault = "the disk is gone" }
            bench.news.stateChanged()
            let fault = try await reader.first("the fault") { $0.topic == base + "/fault" }
            #expect(fault["state"] == "began" && fault["fault"]?.contains("the disk is gone") == true)
            bench.view.change { $0.fault = nil }
            bench.news.stateChanged()
            _ = try await reader.first("its end") { $0.topic == base + "/fault" && $0["state"] == "over" }
            reader.end()
        }
    }

    @Test(arguments: [false, true]) func answersComeOnlyWhereTheLabSaysSo(isWanted: Bool) async throws {
        let broker = try await TestBroker()
        let table = isWanted ? "publish = ['status', 'prompts', 'answers']" : ""
        let bench = try LiveBench("mqtt://127.0.0.1:\(broker.port)", table)
        try await bench.append(Fixture.enrolled)
        try await bench.publish {
            try await bench.connected()
            let reader = try await broker.reader()
            try await bench.append(
                .runOpened(task: "mood", opening: 1, occurrence: "mood/1"),
                .answered(
                    task: "mood", opening: 1,
                    answer: AnswerRecord(
                        question: "happy", value: .number(0.1), presented: .zero,
                        answered: MonotonicTime(nanoseconds: 5), presses: 3)),
                .submitted(task: "mood", opening: 1, submission: SubmissionRecord(Fixture.submission)),
                .runLeft(task: "mood", opening: 1), .concluded(occurrence: Fixture.record(1), outcome: .completed))
            _ = try await reader.first("a status after it") {
                $0.topic == base + "/status" && $0["lastAnswer"].map { !$0.contains("null") } == true
            }
            // Events keep their order: what there is of the first came before the second.
            try await bench.append(.concluded(occurrence: Fixture.record(2), outcome: .expired))
            _ = try await reader.first("the next") { $0.topic == base + "/prompt" && $0["occurrence"] == "mood/2" }
            let answers = reader.messages.filter { $0.topic == base + "/answer" }
            #expect(answers.count == (isWanted ? 1 : 0))
            #expect(reader.messages.contains { $0.text.contains("happy") } == isWanted)
            reader.end()
        }
    }

    @Test func promptsComeOnlyWhereTheyAreAskedFor() async throws {
        let broker = try await TestBroker()
        let bench = try LiveBench("mqtt://127.0.0.1:\(broker.port)", "publish = ['answers']")
        try await bench.append(Fixture.enrolled)
        try await bench.publish {
            try await bench.connected()
            let reader = try await broker.reader()
            try await bench.append(
                .concluded(occurrence: Fixture.record(2), outcome: .expired),
                .runOpened(task: "mood", opening: 1, occurrence: "mood/1"),
                .submitted(task: "mood", opening: 1, submission: SubmissionRecord(Fixture.submission)),
                .runLeft(task: "mood", opening: 1), .concluded(occurrence: Fixture.record(1), outcome: .completed))
            _ = try await reader.first("the answers") { $0.topic == base + "/answer" }
            // Of a prompt what became of it would come before its answers.
            #expect(!reader.messages.contains { $0.topic == base + "/prompt" })
            #expect(reader.messages.count { $0.topic == base + "/answer" } == 1)
            reader.end()
        }
    }

    @Test func aDeviceWithoutAStudyIsNoLongerShown() async throws {
        let broker = try await TestBroker()
        let bench = try LiveBench("mqtt://127.0.0.1:\(broker.port)")
        try await bench.append(Fixture.enrolled)
        try await bench.publish {
            try await bench.connected()
            let reader = try await broker.reader()
            _ = try await reader.first("discovery") { $0.topic.hasPrefix("homeassistant/") && !$0.text.isEmpty }
            try await bench.leave()
            let end = try await reader.first("the end") { $0.topic == base + "/status" && $0["state"] == "ended" }
            #expect(Self.hasOffset(end))
            _ = try await reader.first("no device") { $0.topic.hasPrefix("homeassistant/") && $0.text.isEmpty }
            try await eventually("the connection is ended") { bench.view.now.live?.isConnected == false }
            reader.end()
        }
    }

    /// The agent runs, is stopped, and finds at its next start what became of the device meanwhile.
    @Test(arguments: ["left", "handed over", "in another study"])
    func aStudyThatWasLeftWhileTheAgentWasOffIsNoLongerShown(fate: String) async throws {
        let broker = try await TestBroker()
        let url = "mqtt://127.0.0.1:\(broker.port)"
        let bench = try LiveBench(url)
        try await bench.append(Fixture.enrolled)
        let reader = try await broker.reader()
        try await bench.publish {
            _ = try await reader.first("discovery") { $0.topic.hasPrefix("homeassistant/") && !$0.text.isEmpty }
        }
        try await bench.leave()
        let next = try LiveBench(url, after: bench, isHandedOver: fate != "left")
        if fate == "in another study" { try await next.append(Self.enrolled(in: "other")) }
        try await next.publish {
            _ = try await reader.first("the end") { $0.topic == base + "/status" && $0["state"] == "ended" }
            let gone = try await reader.first("no device") { $0.topic.hasPrefix("homeassistant/") && $0.text.isEmpty }
            #expect(gone.topic == "homeassistant/device/d1/studyd-study/config")
            func remembered() -> [String] {
                next.news.work.wake()
                return LiveMemory(in: next.folder, device: "d1").studies
            }
            let present = fate == "in another study" ? ["other"] : []
            try await eventually("only the present study is remembered") { remembered() == present }
        }
        reader.end()
    }

    private static func enrolled(in study: String) throws -> StudyEvent {
        let enrolment = Enrolment(
            id: "e1", studyID: study, participant: Fixture.enrolment.participant,
            condition: Fixture.enrolment.condition, instant: Fixture.enrolment.instant, local: Fixture.enrolment.local,
            seed: Fixture.enrolment.seed)
        return .enrolled(
            enrolment: EnrolmentRecord(
                enrolment, platform: PlatformName(rawValue: "schema"), source: "study.json",
                fileDigest: try Digest(of: [])))
    }

    /// The broker is away when the study is left, and back only after the agent was stopped and started.
    @Test func aBrokerThatWasAwayWhenTheStudyWasLeftHearsOfItLater() async throws {
        let broker = try await TestBroker()
        let url = "mqtt://127.0.0.1:\(broker.port)"
        let bench = try LiveBench(url)
        try await bench.append(Fixture.enrolled)
        try await bench.publish {
            try await bench.connected()
            broker.stop()
            try await bench.leave()
        }
        try await broker.start()
        let reader = try await broker.reader()
        try await LiveBench(url, after: bench).publish {
            _ = try await reader.first("the end") { $0.topic == base + "/status" && $0["state"] == "ended" }
        }
        reader.end()
    }

    /// The times of all messages have the participant's offset, Berlin's, and none is UTC's.
    private static func hasOffset(_ message: BrokerReader.Message) -> Bool {
        message.properties["time"].map { $0.hasSuffix("+01:00") || $0.hasSuffix("+02:00") } ?? false
    }

    @Test func anOrderlyEndSaysOffAndNotSilent() async throws {
        let broker = try await TestBroker()
        let bench = try LiveBench("mqtt://127.0.0.1:\(broker.port)")
        try await bench.append(Fixture.enrolled)
        let reader = try await broker.reader()
        try await bench.publish { try await bench.connected() }
        let off = try await reader.first("off") { $0.topic == base + "/status" && $0["state"] == "off" }
        #expect(off.isRetained && Self.hasOffset(off) && !reader.messages.contains { $0["state"] == "silent" })
        reader.end()
    }

    // MARK: Brokers that do not take it

    @Test func aBrokerThatComesLaterGetsWhatWaited() async throws {
        let broker = try await TestBroker()
        broker.stop()
        let bench = try LiveBench("mqtt://127.0.0.1:\(broker.port)")
        try await bench.append(Fixture.enrolled)
        try await bench.publish {
            let status = try await bench.trouble("Connection refused")
            #expect(status.fault == nil, "a network that is gone is no fault of the device")
            try await bench.append(.concluded(occurrence: Fixture.record(1), outcome: .expired))
            try await broker.start()
            let reader = try await broker.reader()
            bench.news.networkCame()
            _ = try await reader.first("the outcome") { $0.topic == base + "/prompt" && $0["occurrence"] == "mood/1" }
            #expect(bench.view.now.live?.trouble == nil)
            reader.end()
        }
    }

    @Test func aRefusalIsNamedWithItsRemedy() async throws {
        // mosquitto_passwd's format; of another password.
        let password =
            "d1:$7$101$Dvuzqo3TDJU+Dh0t$uHN8lhCPWkAJ4mSyLMtIbvL0rOB3eV0CHAJDyRBjn9JN5qbLSdJ3P0vKNFHRk1Yx2BQm0tCjKUOpiF0WpPkPZA==\n"
        let broker = try await TestBroker(
            ["allow_anonymous false", "password_file {folder}/passwords"], files: ["passwords": password])
        let bench = try LiveBench("mqtt://127.0.0.1:\(broker.port)", "user = 'd1'")
        try await bench.append(Fixture.enrolled)
        try await bench.publish {
            let status = try await bench.trouble("(135)")
            #expect(status.fault?.remedy?.contains("check 'user' and 'password'") == true)
            #expect(bench.view.now.faults.contains { $0.place == "mqtt" })
        }
    }

    @Test func aTopicThatIsNotAllowedIsCountedAndNamed() async throws {
        let broker = try await TestBroker(
            ["allow_anonymous true", "acl_file {folder}/acl"], files: ["acl": "topic readwrite studyd/#\n"])
        let bench = try LiveBench("mqtt://127.0.0.1:\(broker.port)")
        try await bench.append(Fixture.enrolled)
        try await bench.publish {
            let status = try await bench.trouble("homeassistant/device")
            #expect(status.refused == 1 && status.fault?.remedy?.contains("'discovery'") == true)
            try await eventually("the status is taken all the same") { (bench.view.now.live?.published ?? 0) > 0 }
        }
    }

    /// MQTT 5.0, 3.1.2.7: a broker that keeps nothing refuses a connection with a retained will.
    @Test func aBrokerThatKeepsNothingIsNamedAndGetsEverythingForPresentReaders() async throws {
        let broker = try await TestBroker(["allow_anonymous true", "retain_available false"])
        let bench = try LiveBench("mqtt://127.0.0.1:\(broker.port)")
        try await bench.append(Fixture.enrolled)
        let reader = try await broker.reader()
        try await bench.publish {
            try await bench.connected()
            _ = try await reader.first("the status") { $0.topic == base + "/status" && $0["state"] == "idle" }
            let status = try await bench.trouble("keeps no retained messages (154)")
            #expect(status.isConnected && status.refused == 0, "\(status)")
            #expect(status.fault?.remedy?.contains("retain_available") == true, "\(status)")
            try await bench.append(.concluded(occurrence: Fixture.record(1), outcome: .expired))
            _ = try await reader.first("the outcome") { $0.topic == base + "/prompt" && $0["occurrence"] == "mood/1" }
        }
        _ = try await reader.first("off") { $0.topic == base + "/status" && $0["state"] == "off" }
        reader.end()
    }

    @Test func aBrokerThatKeepsNothingIsNoTroubleWithoutAStatus() async throws {
        let broker = try await TestBroker(["allow_anonymous true", "retain_available false"])
        let bench = try LiveBench("mqtt://127.0.0.1:\(broker.port)", "publish = ['prompts']")
        try await bench.append(Fixture.enrolled)
        try await bench.publish {
            try await bench.connected()
            #expect(bench.view.now.live?.trouble == nil)
        }
    }

    /// Two cards with one machine id: MQTT 5.0, 3.1.4-3, gives the connection to the one that came last.
    @Test(arguments: ["true", "false"]) func twoDevicesWithOneNameAreNamed(retains: String) async throws {
        let broker = try await TestBroker(["allow_anonymous true", "retain_available \(retains)"])
        let (one, other) = (
            try LiveBench("mqtt://127.0.0.1:\(broker.port)", silentAfter: "30s"),
            try LiveBench("mqtt://127.0.0.1:\(broker.port)", silentAfter: "30s")
        )
        try await one.append(Fixture.enrolled)
        try await other.append(Fixture.enrolled)
        try await one.publish {
            try await one.connected()
            try await other.publish {
                let status = try await one.trouble("another device with the same name")
                #expect(status.fault?.remedy?.contains("'device'") == true)
            }
        }
    }

    /// Takes connections (MQTT 5.0, 3.2) and answers the next packet by one that only clients send. Writes a letter for
    /// each connection.
    private static let wrongBroker = """
        import socket, sys
        server = socket.create_server(('127.0.0.1', int(sys.argv[1])))
        while True:
            client, _ = server.accept()
            open(sys.argv[2], 'a').write('c')
            for answer in ('2003000000', '1000'):
                client.recv(65536)
                client.sendall(bytes.fromhex(answer))
            client.recv(65536)
            client.close()
        """

    /// eclipse-mosquitto v2.0.21: the broker answers a message above its `message_size_limit` by 149
    /// (src/handle_publish.c:229), for which the library ends the connection (lib/handle_pubackcomp.c:92).
    @Test func aConnectionThatWeEndedOurselvesMeansNoOtherDevice() async throws {
        let (held, folder) = (try HeldPort(), try UploadFixture.folder())
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let count = folder + "/connections"
        let server = Process()
        server.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        server.arguments = [TestBroker.python, "-c", Self.wrongBroker, String(held.number), count]
        try server.run()
        defer {
            kill(server.processIdentifier, SIGKILL)
            server.waitAsleep()
        }
        let bench = try LiveBench("mqtt://127.0.0.1:\(held.number)", clock: HastyClock(haste: 20))
        try await bench.append(Fixture.enrolled)
        try await bench.publish {
            try await eventually("it came three times") {
                ((try? String(contentsOfFile: count, encoding: .utf8)) ?? "").count >= 3
            }
            let status = try await bench.trouble("against the rules of MQTT 5")
            #expect(status.trouble?.remedy?.contains("message_size_limit") == true)
        }
    }

    /// As the kernel does for any listener: a connection, and never a word.
    @Test func aSilentBrokerHoldsNothingUp() async throws {
        let held = try HeldPort()
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(listener) }
        var reuse: CInt = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<CInt>.size))
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = inet_addr("127.0.0.1")
        place.sin_port = UInt16(held.number).bigEndian
        let isListening = withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 && listen(listener, 8) == 0
            }
        }
        #expect(isListening)
        let bench = try LiveBench("mqtt://127.0.0.1:\(held.number)", clock: HastyClock(haste: 20))
        try await bench.append(Fixture.enrolled)
        try await bench.publish {
            // Until it is found out, which takes 20 seconds of its clock, nothing waits for it.
            var number = 0
            while bench.view.now.live?.trouble == nil {
                number += 1
                try await bench.append(.concluded(occurrence: Fixture.record(number), outcome: .expired))
            }
            #expect(number >= 2, "events in the log meanwhile")
            #expect(try await bench.trouble("says nothing").isRefusal == false)
        }
    }

    // MARK: TLS

    static func certificate(in folder: String) throws {
        let command = """
            openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
            -keyout \(folder)/key.pem -out \(folder)/cert.pem 2>/dev/null
            """
        let output = ReportSchema.output(["sh", "-c", command])
        _ = try #require(output)
    }

    @Test func tlsIsSpokenToABrokerThatIsTrustedAlone() async throws {
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Self.certificate(in: folder)
        let broker = try await TestBroker([
            "allow_anonymous true", "certfile \(folder)/cert.pem", "keyfile \(folder)/key.pem",
        ])
        let good = try LiveBench("mqtts://localhost:\(broker.port)", "ca_file = '\(folder)/cert.pem'")
        try await good.append(Fixture.enrolled)
        try await good.publish {
            try await good.connected()
            try await eventually("messages are taken") { (good.view.now.live?.published ?? 0) >= 2 }
        }
        let strange = try LiveBench("mqtts://localhost:\(broker.port)")
        try await strange.append(Fixture.enrolled)
        try await strange.publish { _ = try await strange.trouble("that this device trusts; check 'ca_file'") }
    }
}
