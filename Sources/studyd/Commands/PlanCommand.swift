// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import StudyEngine

/// `studyd plan`: every time at which something is due.
struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Prints everything a participant will be asked, in time order.",
        discussion: "Example: studyd plan study.json --enrolled 2026-03-01T09:00 --zone Europe/Berlin --json"
            + PlatformOptions.help([.reading, .planning]))

    @OptionGroup var source: SourceOptions
    @OptionGroup var plan: PlanOptions
    @OptionGroup var common: CommonOptions
    @Flag(name: .long, help: "One JSON object per line.")
    var json = false

    func run() throws {
        let loaded = try source.load()
        let study = loaded.study
        SourceOptions.warn(of: study)
        let context = try plan.context(for: loaded, source.platforms.arguments())
        for line in Planner(study: study, context: context).lines(days: plan.days) {
            Output.line(json ? line.json : line.text)
        }
    }
}
