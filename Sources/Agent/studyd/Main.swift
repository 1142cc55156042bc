// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Commands

/// `studyd`: the agent and its commands.
struct Studyd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "studyd",
        abstract: "Run health studies on small Linux devices without a screen.",
        discussion: """
            Example: studyd enroll https://example.org/protocol.json --config /etc/studyd/studyd.toml
            """,
        version: AgentVersion.line,
        subcommands: [
            InitCommand.self, ProvisionCommand.self, TakeoverCommand.self, RunCommand.self, EnrollCommand.self,
            WithdrawCommand.self,
            HandOverCommand.self,
            StudyCommand.self,
            StatusCommand.self, HistoryCommand.self, PlanCommand.self, SimulateCommand.self, ValidateCommand.self,
            CardsCommand.self, CheckCommand.self, RecordingsCommand.self, DecodeCommand.self, VerifyLogCommand.self,
            ProveCommand.self,
            MessagesCommand.self, ScheduleCommand.self, RewardCommand.self, UpdateStudyCommand.self, OutboxCommand.self,
            SupportCommand.self, UdevCommand.self, DecodeSoundCommand.self,
        ])
}

@main
enum Main {
    private static func main() {
        Program<Studyd>.start { words in
            if let other = OtherProgram(words) { throw other }
            return try PlatformOptions.carried(words)
        }
    }
}
