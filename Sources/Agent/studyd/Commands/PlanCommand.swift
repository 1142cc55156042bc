// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Commands
import Study

/// `studyd plan`: every time at which something is due.
struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Show everything a participant will be asked, day by day.",
        discussion: "Example: studyd plan study.json --enrolled 2026-03-01T09:00 --zone Europe/Berlin --json"
            + PlatformOptions.help([.reading, .planning]))

    @OptionGroup var source: SourceOptions
    @OptionGroup var plan: PlanOptions
    @OptionGroup var unused: UnusedOptions
    @Flag(name: .long, help: "Print one JSON object per line.")
    var json = false

    @Flag(name: .long, help: "Print a calendar with the number of tasks on each day.")
    var calendar = false

    func validate() throws {
        guard !(json && calendar) else { throw ValidationError("use --json or --calendar, not both") }
    }

    func run() throws {
        let loaded = try source.load()
        let study = loaded.study
        SourceOptions.warn(of: study)
        let context = try plan.context(for: loaded, source.platforms.arguments())
        let lines = Planner(study: study, context: context).lines(days: plan.days)
        guard !json else {
            for line in lines { Output.line(line.json) }
            return
        }
        let page = PlanPage(lines, of: study, zone: context.zone)
        Output.text(calendar ? page.calendar : page.text)
    }
}
