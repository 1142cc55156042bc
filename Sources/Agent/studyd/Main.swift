// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Glibc
import SystemKit

/// `studyd`: the agent and its commands.
struct Studyd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "studyd",
        abstract: "Run health studies on small Linux devices without a screen.",
        discussion: """
            Example: studyd demo
            Example: studyd enroll https://example.org/protocol.json --config /etc/studyd/studyd.toml
            """,
        version: AgentVersion.text,
        subcommands: [
            DemoCommand.self, InitCommand.self, RunCommand.self, EnrollCommand.self, WithdrawCommand.self,
            HandOverCommand.self,
            StudyCommand.self,
            StatusCommand.self, HistoryCommand.self, PlanCommand.self, SimulateCommand.self, ValidateCommand.self,
            CardsCommand.self, CheckCommand.self, RecordingsCommand.self, DecodeCommand.self, VerifyLogCommand.self,
            MessagesCommand.self, ScheduleCommand.self, RewardCommand.self, UpdateStudyCommand.self, OutboxCommand.self,
            UdevCommand.self, DecodeSoundCommand.self,
        ])
}

/// Exits 0 on success, 1 on a failure that is explained, 2 on wrong usage.
@main
enum Main {
    private static func main() {
        let runs = CommandLine.arguments.dropFirst().first == RunCommand.configuration.commandName
        // Before anything else: an agent that is stopped while it starts ends in good order too.
        if runs { StopSignals.note([SIGTERM, SIGINT]) }
        signal(SIGPIPE, SIG_IGN)
        listen()
        ProcessMemory.keepSmall()
        ProcessEnd.keepLibraries()
        ProcessMemory.keepPrivate()
        // What runs for months has a thread that wakes up for nothing but its work; this one has
        // nothing more to do.
        let thread = runs ? try? TaskThread(name: "studyd-tasks") : nil
        Task(executorPreference: thread) {
            if let thread { await thread.carry { await work() } } else { await work() }
        }
        while true { pause() }
    }

    /// A parent may have blocked what asks a program to stop, and no thread of its
    /// own would hear it.
    private static func listen() {
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
    }

    private static func work() async {
        do {
            try CommandNames.check(Array(CommandLine.arguments.dropFirst()), of: Studyd.self)
            var command = try Studyd.parseAsRoot(PlatformOptions.carried(Array(CommandLine.arguments.dropFirst())))
            if var waiting = command as? AsyncParsableCommand {
                try await waiting.run()
            } else {
                try command.run()
            }
            leave()
        } catch {
            leave(error)
        }
    }

    /// What was to be printed and was not is a failure, as it is for every tool of POSIX.
    private static func leave() -> Never {
        guard let trouble = Output.trouble else { exit(0) }
        Output.remark("studyd: \(trouble)")
        exit(1)
    }

    private static func leave(_ error: any Error) -> Never {
        switch Studyd.exitCode(for: error) {
        case .success:
            Output.line(Studyd.fullMessage(for: error))
            leave()
        case .validationFailure:
            Output.remark(Studyd.fullMessage(for: error))
            exit(2)
        case let code where error is ExitCode:
            if let trouble = Output.trouble { Output.remark("studyd: \(trouble)") }
            exit(code.rawValue)
        default:
            Output.remark("studyd: \(error)")
            exit(1)
        }
    }
}
