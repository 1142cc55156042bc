// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Base
import Commands
import Study

/// `studyd plan`: every time at which something is due.
struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Show everything a participant will be asked, day by day.",
        discussion: "Example: studyd plan study.json --enrolled 2026-03-01T09:00 --zone Europe/Berlin --json"
            + PlatformOptions.help([.reading, .planning]))

    @OptionGroup var source: SourceOptions
    @OptionGroup var rules: RulesOptions
    @OptionGroup var plan: PlanOptions
    @OptionGroup var unused: UnusedOptions
    @Flag(name: .long, help: "Print one JSON object per line.")
    var json = false

    @Flag(name: .long, help: "Print a calendar with the number of tasks on each day.")
    var calendar = false

    @Flag(name: .long, help: "Show the participant's arm and the draws of rules, which are hidden otherwise.")
    var unblind = false

    func validate() throws {
        guard !(json && calendar) else { throw ValidationError("use --json or --calendar, not both") }
    }

    func run() throws {
        let loaded = try rules.beside(try source.load())
        let study = loaded.study
        SourceOptions.warn(of: study)
        let context = try plan.context(for: loaded, source.platforms.arguments())
        let lines = Planner(study: study, context: context).lines(days: plan.days, showsArm: unblind)
        defer { printRules(of: study, context, after: lines.last) }
        guard !json else {
            for line in lines { Output.line(line.json) }
            return
        }
        let page = PlanPage(lines, of: study, zone: context.zone)
        Output.text(calendar ? page.calendar : page.text)
    }

    /// Days for which rules without an end are shown at least, where the plan is shorter.
    private static let fewestDays = 7

    /// Prints the points of rules that time alone decides, up to the end of the rules or of the plan; those
    /// of conditions and events cannot be known beforehand.
    private func printRules(of study: StudyProtocol, _ context: ScheduleContext, after last: PlanLine?) {
        guard let rules = study.rules, !calendar else { return }
        let first = context.enrolment.local.date
        let planned =
            last.map { context.zone.local($0.occurrence.due).date.daysSinceEpoch - first.daysSinceEpoch + 1 } ?? 0
        let days = plan.days ?? rules.days ?? max(planned, Self.fewestDays)
        let (points, cut) = RulePlan(rules, in: context).points(days: days)
        for name in cut {
            Output.remark("studyd: rule \(name): only the first \(RulePlan.most) points are shown; --days gives fewer")
        }
        for point in points {
            let due = ZonedText(point.due, in: context.zone).description
            let object = JSONText.object([
                "rule": .string(point.rule.name), "point": .integer(Int64(point.index)),
                "task": .string(point.rule.task), "due": .string(due), "draw": unblind ? .number(point.draw) : nil,
            ])
            let draw = unblind ? "  draws \(point.draw)" : ""
            Output.line(
                json
                    ? object.text
                    : "\(due)  rule \(point.rule.name)/\(point.index) for \(point.rule.task)\(draw)".shown)
        }
    }
}
