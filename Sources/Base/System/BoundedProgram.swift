// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc

/// Another program, run to its end: a text goes in by its standard input, and time and
/// output have a limit. Speech, decoding of sounds, the commands of a takeover and the lab's previews run by
/// it.
package struct BoundedProgram: Sendable {
    /// The most bytes that go in, the rest is cut off: they are written before the program starts, so a
    /// pipe must take them without a reader.
    package static let inputLimit = 16_384
    /// The most bytes of output that are kept without `keepingLast`; the rest is read and thrown away.
    package static let outputLimit = 4_096

    /// How often it checks whether to give up.
    private static let slice: Duration = .milliseconds(20)

    private static let environment = ["PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8"]

    /// Looked for in PATH.
    package let name: String
    private let arguments: [String]
    private let lastBytes: Int?

    /// With `keepingLast` that many bytes at the end of its output are kept, without its errors; nil = the first
    /// `outputLimit` bytes of output and errors.
    package init(name: String, arguments: [String], keepingLast lastBytes: Int? = nil) {
        (self.name, self.arguments, self.lastBytes) = (name, arguments, lastBytes)
    }

    /// Runs it; blocks. What it printed, and its exit status. Killed after `limit`, or as soon as
    /// `isCancelled` is true.
    package func run(
        input: [UInt8], limit: Duration, isCancelled: () -> Bool = { false }
    ) throws(ProgramError) -> (status: CInt, output: String) {
        let running = try start(input)
        let ended = collect(from: running.output.rawValue, until: SystemClock().monotonic + limit, isCancelled)
        if ended == nil { running.child.signal(SIGKILL) }
        let status = running.child.wait()
        guard let ended else { throw isCancelled() ? .cancelled(name) : .tooSlow(name, limit) }
        return (status, ended)
    }

    private struct Running: ~Copyable {
        let child: ChildProcess
        let output: Descriptor
    }

    private func start(_ input: [UInt8]) throws(ProgramError) -> Running {
        do throws(SystemError) {
            let source = try Pipe(name: name, isBlocking: true)
            let sink = try Pipe(name: name, isBlocking: true)
            try source.writing.write(Array(input.prefix(Self.inputLimit)))
            let reading = source.readingEnd()
            let nothing = try Descriptor(opening: "/dev/null", flags: O_WRONLY)
            let child = try ChildProcess(
                [name] + arguments, input: reading.rawValue, output: sink.writing.rawValue,
                errors: lastBytes == nil ? sink.writing.rawValue : nothing.rawValue, environment: Self.environment)
            return Running(child: child, output: sink.readingEnd())
        } catch {
            throw error.code == ENOENT && error.operation == "start" ? .missing(name) : .cannotStart(name, error.code)
        }
    }

    /// The output up to its end, which comes with that of the program; nil when the time is over.
    private func collect(from descriptor: CInt, until end: MonotonicTime, _ isCancelled: () -> Bool) -> String? {
        let clock = SystemClock()
        var kept: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while clock.monotonic < end {
            if isCancelled() { return nil }
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, CInt(Self.slice / .milliseconds(1))) > 0 else { continue }
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return String(decoding: kept.suffix(lastBytes ?? .max), as: UTF8.self) }
            if let limit = lastBytes {
                kept += chunk[..<count]
                if kept.count > 2 * limit { kept.removeFirst(kept.count - limit) }
            } else {
                kept += chunk[..<min(count, max(0, Self.outputLimit - kept.count))]
            }
        }
        return nil
    }
}

/// Why a program did not do its work.
package enum ProgramError: Error, Sendable, Hashable, CustomStringConvertible {
    case missing(String)
    case cannotStart(String, CInt)
    case tooSlow(String, Duration)
    case cancelled(String)

    package var description: String {
        switch self {
        case .missing(let name): "\(name) is not installed"
        case .cannotStart(let name, let code): "\(name) cannot be started: \(String(cString: strerror(code)))"
        case .tooSlow(let name, let limit): "\(name) did not finish within \(limit)"
        case .cancelled(let name): "\(name) was no longer needed"
        }
    }
}
