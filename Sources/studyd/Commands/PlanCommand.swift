// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import StudyEngine

/// `studyd plan`: every time at which something is due.
struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Prints everything a participant will be asked, in time order.",
        discussion: "Example: studyd plan study.json --enrolled 2026-03-01T09:00 --zone Europe/Berlin --json")

    @OptionGroup var source: SourceOptions
    @OptionGroup var plan: PlanOptions
    @OptionGroup var common: CommonOptions
    @Flag(name: .long, help: "One JSON object per line.")
    var json = false

    func run() throws {
        let study = try source.load(policy: plan.policy, compare: plan.compare).study
        SourceOptions.warn(of: study)
        for line in Planner(study: study, context: try plan.context(for: study)).lines(days: plan.days) {
            Output.line(json ? line.json : line.text)
        }
    }
}
