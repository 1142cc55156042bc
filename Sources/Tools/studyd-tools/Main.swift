// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Commands

/// `studyd-tools`: what people do with data, and what newcomers try, on their own computers.
struct StudydTools: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "studyd-tools",
        abstract: "Try studyd on a board made of software; export and plot recordings.",
        discussion: """
            Example: studyd-tools demo
            Example: studyd-tools export 000042-accelerometer.cwa --to csv -o night.csv
            """,
        version: AgentVersion.line,
        subcommands: [
            DemoCommand.self, MakeStudyCommand.self, ExportCommand.self, PlotCommand.self, FeaturesCommand.self,
            DecodeCommand.self, RunCommand.self, CheckCommand.self, DecodeSoundCommand.self,
        ])
}

@main
enum Main {
    private static func main() { Program<StudydTools>.start() }
}
