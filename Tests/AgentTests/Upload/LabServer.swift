// SPDX-License-Identifier: Apache-2.0
import Foundation
import Patience

/// The python server beside this file, as a separate process on a free port. Ends with its owner.
final class LabServer {
    private let process = Process()
    private let input = Pipe()
    private(set) var port = 0

    static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "lab_server.py"
    ).path
    static let isAvailable = FileManager.default.isExecutableFile(atPath: "/usr/bin/env") && hasPython

    private static let hasPython: Bool = {
        let probe = Process()
        probe.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        probe.arguments = ["python3", "-c", "import http.server"]
        guard (try? probe.run()) != nil else { return false }
        probe.waitAsleep()
        return probe.terminationStatus == 0
    }()

    init(port: Int = 0, command: [String]? = nil) throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command ?? ["python3", Self.script, "\(port)"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var line = ""
        while !line.hasSuffix("\n") {
            let byte = output.fileHandleForReading.readData(ofLength: 1)
            guard !byte.isEmpty else { break }
            line += String(decoding: byte, as: UTF8.self)
        }
        guard let listening = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw NotListening(port: port)
        }
        self.port = listening
    }

    /// The server ended before it could say its port; its reason is on standard error.
    struct NotListening: Error { let port: Int }

    deinit { kill() }

    /// Ends it at once, in the middle of whatever it does.
    func kill() {
        guard process.isRunning else { return }
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitAsleep()
    }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }
}
