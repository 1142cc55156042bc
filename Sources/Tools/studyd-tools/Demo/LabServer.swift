// SPDX-License-Identifier: Apache-2.0
import Agent
import Commands
import Glibc
import SystemKit

/// The study-receiver that `Demo` and `MadeStudy` start; ends with them, also when they are killed.
final class LabServer {
    /// `http://127.0.0.1:PORT`.
    let address: String
    private let process: ChildProcess
    /// The other end of its standard input, never written to: the receiver ends when this is closed,
    /// which the kernel does even when the demo is killed.
    private let lifeline: Descriptor
    private var isStopped = false

    /// Starts the `study-receiver` that lies beside this program, with the arguments by which it
    /// plays the study's platform.
    init(data: String, _ playing: [String]) throws {
        let program = try Self.program()
        let output: Descriptor
        do throws(SystemError) {
            let life = try Pipe(name: program, isBlocking: true)
            let said = try Pipe(name: program, isBlocking: true)
            // Ctrl-C in the terminal is for the demo alone, which ends the receiver in its turn.
            process = try ChildProcess(
                [program, "--port", "0", "--data", data, "--end-with-input"] + playing, input: life.reading.rawValue,
                output: said.writing.rawValue, inOwnGroup: true)
            lifeline = life.writingEnd()
            output = said.readingEnd()
        } catch { throw FileError(path: program, message: String(cString: strerror(error.code))) }
        guard let line = Self.line(output), let start = line.firstRange(of: "http://")?.lowerBound else {
            throw FileError(path: program, message: "did not print its address")
        }
        address = String(line[start...])
    }

    deinit { stop() }

    /// Asks it to end, and waits. Calling it again does nothing: its process id may be another's by then.
    func stop() {
        guard !isStopped else { return }
        isStopped = true
        if process.signal(SIGTERM) { process.wait() }
    }

    private static func program() throws -> String {
        let own = try ExecutablePath.current()
        let path = own[..<(own.lastIndex(of: "/") ?? own.startIndex)] + "/study-receiver"
        guard access(String(path), X_OK) == 0 else {
            throw FileError(
                path: String(path), message: "not found", remedy: "build it, or use a running one with --receiver")
        }
        return String(path)
    }

    /// The first line of its output.
    private static func line(_ output: borrowing Descriptor) -> String? {
        var bytes: [UInt8] = []
        while bytes.count < 4096, let byte = try? output.read(upTo: 1)?.first {
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }
}
