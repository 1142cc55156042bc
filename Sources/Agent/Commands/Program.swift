// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Device
import Glibc
import SystemKit

/// A program of commands, started by the `Main` of `studyd` and of `studyd-tools`. Exits 0 on success, 1 on a
/// failure that is explained, 2 on wrong usage.
package enum Program<Root: AsyncParsableCommand & SendableMetatype> {
    /// Runs the command that was typed, and does not return. `prepare` may refuse the words or
    /// change them before they are parsed.
    package static func start(_ prepare: @escaping @Sendable ([String]) throws -> [String] = { $0 }) -> Never {
        let runs = CommandLine.arguments.dropFirst().first == "run"
        // Before anything else: an agent that is stopped while it starts ends in good order too.
        if runs { StopSignals.catchEarly([SIGTERM, SIGINT]) }
        signal(SIGPIPE, SIG_IGN)
        unblockSignals()
        ProcessMemory.keepSmall()
        // Threads may still be ending while the process exits.
        DigestStream.keepLibrary()
        // Memory holds answers: nothing of it reaches a core file or a crash reporter.
        CoreDumps.forbid()
        // `run` is the agent, which runs for months: its tasks get a thread of their own, which wakes up
        // for work only. The main thread waits for the process to exit.
        let thread = runs ? try? TaskThread(name: "studyd-tasks") : nil
        Task(executorPreference: thread) {
            if let thread { await thread.carry { await work(prepare) } } else { await work(prepare) }
        }
        while true { pause() }
    }

    private static var name: String { Root.configuration.commandName ?? "" }

    /// A parent may have blocked the signals that ask a program to stop, and no thread would get
    /// them.
    private static func unblockSignals() {
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
    }

    private static func work(_ prepare: ([String]) throws -> [String]) async {
        do {
            let words = try prepare(Array(CommandLine.arguments.dropFirst()))
            try CommandNames.check(words, of: Root.self)
            var command = try Root.parseAsRoot(words)
            if var waiting = command as? any AsyncParsableCommand {
                try await waiting.run()
            } else {
                try command.run()
            }
            leave()
        } catch {
            leave(error)
        }
    }

    /// Exits 0, or 1 where standard output could not be written, as POSIX's tools do.
    private static func leave() -> Never {
        guard let trouble = Output.trouble else { exit(0) }
        Output.remark("\(name): \(trouble)")
        exit(1)
    }

    private static func leave(_ error: any Error) -> Never {
        if let other = error as? OtherProgram {
            Output.remark("\(name): \(error)")
            exit(other.isWrongUsage ? 2 : 1)
        }
        switch Root.exitCode(for: error) {
        case .success:
            Output.line(Root.fullMessage(for: error))
            leave()
        case .validationFailure:
            Output.remark(Root.fullMessage(for: error))
            exit(2)
        case let code where error is ExitCode:
            if let trouble = Output.trouble { Output.remark("\(name): \(trouble)") }
            exit(code.rawValue)
        default:
            Output.remark("\(name): \(error)")
            exit(1)
        }
    }
}
