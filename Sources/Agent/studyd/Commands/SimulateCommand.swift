// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Commands
import Glibc
import Study
import SystemKit

/// `studyd simulate`: a whole study in virtual time.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Run a whole study in virtual time with a scripted participant.",
        discussion: """
            By default the participant answers every prompt and does the tasks without a prompt from the list. In the script, "opens", \
            "misses", "delays", "declines", "silences", "dawdles", "goesBack" and "leaves" set how often, from 0 (never) to 1 (always).
            Example: studyd simulate study.json --script participant.json --payloads out\
            \(PlatformOptions.help([.reading, .planning]))
            """)

    @OptionGroup var source: SourceOptions
    @OptionGroup var rules: RulesOptions
    @OptionGroup var plan: PlanOptions
    @OptionGroup var board: BoardOptions
    @OptionGroup var unused: UnusedOptions
    @Option(
        name: [.long, .customLong("participant")],
        help: "Participant script (default: chooses the first option after 20 s).",
        completion: .file(extensions: ["json"]))
    var script: String?
    @Option(name: .long, help: "Write the request bodies that would be sent to this folder, in order.")
    var payloads: String?
    @Option(name: .long, help: "Send records to this address instead of the study's own.")
    var postURL: String?
    @Option(
        name: .long, help: "What sensors say to the rules: a table of 'studyd-tools features'.",
        completion: .file(extensions: ["csv"]))
    var world: String?
    @Option(
        name: .long, help: "What sensors say to the rules: a recording of acceleration.",
        completion: .file(extensions: ["cwa"]))
    var replay: String?
    @Flag(name: .long, help: "Print every decision of the rules, as the log has it, and nothing else.")
    var decisions = false
    @Flag(name: .long, help: "Print one JSON object per line.")
    var json = false

    func validate() throws {
        guard world == nil || replay == nil else { throw ValidationError("use --world or --replay, not both") }
        guard rules.path != nil || world == nil && replay == nil && !decisions else {
            throw ValidationError("--world, --replay and --decisions are for --rules FILE")
        }
    }

    private func features(_ rules: StudyRules?) throws -> SensorTimeline {
        if let world { return try SensorTimeline(table: Resource.named(world)) }
        guard let replay, let rules else { return SensorTimeline() }
        let needsWear = rules.rules.contains { $0.needs.contains(.worn) }
        return try SensorTimeline(replaying: [Resource.named(replay)], rules.features, wear: needsWear)
    }

    func run() async throws {
        let loaded = try rules.beside(try source.load())
        SourceOptions.warn(of: loaded.study)
        if try board.description().world?.silences.isEmpty == false {
            Output.remark(
                "studyd: WARNING: [[world.silence]] of the board does nothing here, where only buttons are simulated; 'studyd-tools run' plays it"
            )
        }
        let features = try features(loaded.study.rules)
        let context = try plan.context(for: loaded, source.platforms.arguments(), from: features.start)
        let scratch = try TemporaryFolder("simulate")
        defer { scratch.remove() }
        var simulation = try StudySimulation(
            loaded, context: context, panel: try board.panel(),
            participant: try script.map { try Participant(json: BoundedFile.read(Resource.named($0))) }
                ?? Participant(),
            postURL: postURL, days: plan.days, body: SimulatedPerformer.body, recordings: scratch.path,
            features: features)
        var folder = try payloads.map(PayloadFolder.init)
        let (lines, ledger, compliance) = try simulation.run { try folder?.write($0) }
        for (question, times) in simulation.unanswered {
            Output.remark(
                "studyd: WARNING: \(question.shown) must be answered, and the script does not answer it: the task was left there, \(Plural.of(times, "time"))"
            )
        }
        guard !decisions else {
            for event in simulation.decided { Output.line(try event.line) }
            return
        }
        for line in lines { Output.line(json ? line.json(context) : line.text(context)) }
        guard json else { return Output.text(compliance.text + ledger.text) }
        Output.line(JSONText.object([.init("ledger", ledger.json), .init("compliance", compliance.json)]).text)
    }
}

extension StudySimulation.Line {
    func json(_ context: ScheduleContext) -> String {
        var members = PlanLine(occurrence, condition: context.enrolment.condition, zone: context.zone).members
        members += JSONText.members([
            "outcome": .string(outcome?.name ?? "open"), "reason": outcome?.reason.map { .string($0.rawValue) },
            "presented": presented.map { .string($0.rfc3339(in: context.zone)) },
            "answered": answered.map { .string($0.rfc3339(in: context.zone)) }, "answers": answers,
            "presses": .integer(Int64(presses)),
        ])
        return JSONText.object(members).text
    }

    func text(_ context: ScheduleContext) -> String {
        let line = PlanLine(occurrence, condition: context.enrolment.condition, zone: context.zone).text
        let reason = outcome?.reason.map { " (\($0.rawValue))" } ?? ""
        return "\(line)  \(outcome?.name ?? "open")\(reason)" + (answers.map { "  \($0.text)".shown } ?? "")
    }
}
