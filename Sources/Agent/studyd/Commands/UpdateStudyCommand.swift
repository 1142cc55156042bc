// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Commands

/// `studyd update-study`: looks for a new version, messages and dates at the study's servers.
struct UpdateStudyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update-study",
        abstract: "Check for study updates now.",
        discussion: "studyd must be running; it applies what is found.\nExample: studyd update-study")

    @OptionGroup var common: CommonOptions

    func run() async throws {
        guard let text = try RunningAgent.ask(common, .updateStudy) else {
            throw AgentRefusal(text: "studyd is not running; it will check when it starts")
        }
        Output.line(text)
    }
}
