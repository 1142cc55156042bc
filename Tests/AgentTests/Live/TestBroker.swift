// SPDX-License-Identifier: Apache-2.0
import Foundation
import HeldPort
import Patience
import S3Servers
import Synchronization

/// Debian's mosquitto, and a reader that is PyPI's paho-mqtt; both end with their owner.
final class TestBroker {
    static let python = ProcessInfo.processInfo.environment["STUDYD_MQTT_PYTHON"] ?? "python3"
    static let program = "/usr/sbin/mosquitto"

    /// Says so where it is not.
    static let isThere = hasProgram && S3TestServer.runs(python, importing: "paho.mqtt.client")
    /// The broker, perhaps without the reader.
    static let hasProgram: Bool = {
        if FileManager.default.isExecutableFile(atPath: program) { return true }
        print("SKIPPED: \(program) is not there (apt-get install mosquitto)")
        return false
    }()

    let folder: String
    private let held: HeldPort
    private let lines: [String]
    private var process: Process?

    var port: Int { held.number }

    /// `lines` of mosquitto.conf besides the listener; `{folder}` in them is the broker's folder.
    init(_ lines: [String] = ["allow_anonymous true"], files: [String: String] = [:]) async throws {
        held = try HeldPort()
        folder = NSTemporaryDirectory() + "studyd-broker-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (name, text) in files { try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name)) }
        self.lines = lines.map { [folder] in $0.replacing("{folder}", with: folder) }
        try await start()
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Returns when it takes connections.
    func start() async throws {
        let text = (["listener \(port) 127.0.0.1", "user root"] + lines).joined(separator: "\n") + "\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/mosquitto.conf"))
        let log = folder + "/log"
        try Data().write(to: URL(fileURLWithPath: log))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.program)
        process.arguments = ["-c", folder + "/mosquitto.conf"]
        process.standardError = FileHandle(forWritingAtPath: log)
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        self.process = process
        func said() -> String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }
        try await eventually("mosquitto runs: \(said())") { said().contains(" running") }
    }

    /// Not by SIGTERM, which a child may have blocked as the thread had that started it.
    func stop() {
        guard let process else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitAsleep()
        self.process = nil
    }

    /// What was published, as a reader sees it that begins now.
    func reader(_ words: [String] = []) async throws -> BrokerReader {
        let reader = try BrokerReader(port: port, words)
        try await eventually("the reader listens") { reader.isListening }
        return reader
    }
}

final class BrokerReader: Sendable {
    struct Message: Sendable {
        let topic: String
        let text: String
        let isRetained: Bool
        let qos: Int
        let contentType: String?
        let properties: [String: String]

        /// A member of the payload as text; nil where there is none.
        subscript(key: String) -> String? {
            let object = (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
            return object?[key].map { "\($0)" }
        }
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let state = Mutex<(listening: Bool, messages: [Message])>((false, []))

    init(port: Int, _ words: [String]) throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "mqtt_reader.py")
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [TestBroker.python, script.path, String(port)] + words
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let handle = output.fileHandleForReading
        let thread = Thread { [self] in
            var rest = Data()
            while case let piece = handle.availableData, !piece.isEmpty {
                rest.append(piece)
                while let end = rest.firstIndex(of: 10) {
                    take(rest[..<end])
                    rest = Data(rest[rest.index(after: end)...])
                }
            }
        }
        thread.start()
    }

    func end() {
        try? input.fileHandleForWriting.close()
        process.waitAsleep()
    }

    private func take(_ line: Data) {
        guard let object = (try? JSONSerialization.jsonObject(with: line)) as? [String: Any] else { return }
        state.withLock { state in
            guard let topic = object["topic"] as? String else {
                state.listening = true
                return
            }
            state.messages.append(
                Message(
                    topic: topic, text: object["payload"] as? String ?? "",
                    isRetained: object["retained"] as? Bool ?? false, qos: object["qos"] as? Int ?? 0,
                    contentType: object["type"] as? String,
                    properties: object["properties"] as? [String: String] ?? [:]))
        }
    }

    var isListening: Bool { state.withLock(\.listening) }
    var messages: [Message] { state.withLock(\.messages) }

    /// Waits for the first that is so, from now on or before.
    func first(_ what: String, where fits: (Message) -> Bool) async throws -> Message {
        try await eventually("\(what); there is: \(messages.map { "\($0.topic) \($0.text)" })") {
            messages.first(where: fits)
        }
    }
}
