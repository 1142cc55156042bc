// SPDX-License-Identifier: Apache-2.0
import Foundation
import Patience

/// A server of another project that speaks S3, started by a script beside this file; ends with its owner.
package final class S3TestServer {
    private let process = Process()
    private let input = Pipe()
    package let url: String
    package let access: String
    package let secret: String

    package init(_ python: String, _ script: String, mode: String? = nil) throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [python, Self.path(script)] + (mode.map { [$0] } ?? [])
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        func line() -> String {
            var line = ""
            while true {
                let byte = output.fileHandleForReading.readData(ofLength: 1)
                guard !byte.isEmpty, byte != Data("\n".utf8) else { return line }
                line += String(decoding: byte, as: UTF8.self)
            }
        }
        guard let port = Int(line()) else { throw NotListening(script: script) }
        url = "http://127.0.0.1:\(port)"
        let keys =
            script == "moto_server.py" ? line().split(separator: " ").map(String.init) : ["study:device", "secret"]
        guard keys.count == 2 else { throw NotListening(script: script) }
        (access, secret) = (keys[0], keys[1])
    }

    /// It ended before it could say its port; its reason is on standard error.
    package struct NotListening: Error { package let script: String }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitAsleep()
    }

    private static func path(_ script: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(script).path
    }

    /// Up to 5.2.1 moto compares signatures of paths that it has decoded, with which no path beyond ASCII agrees.
    package static let moto = "boto3, flask, moto.server; from moto.core.request import Request; Request.raw_path"

    /// Whether that python has a module; says so where it has not.
    package static func runs(_ python: String, importing modules: String) -> Bool {
        let probe = Process()
        probe.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        probe.arguments = [python, "-c", "import \(modules)"]
        probe.standardError = FileHandle.nullDevice
        let isThere = (try? probe.run()) != nil
        if isThere { probe.waitAsleep() }
        guard isThere, probe.terminationStatus == 0 else {
            print("SKIPPED: \(python) has no \(modules)")
            return false
        }
        return true
    }

    /// What a script prints for these lines.
    package static func answers(_ python: String, _ script: String, input lines: [String]) throws -> [String] {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent("s3-\(UUID())")
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: place)
        defer { try? FileManager.default.removeItem(at: place) }
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [python, path(script)]
        process.standardInput = try FileHandle(forReadingFrom: place)
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitAsleep()
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
