// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Commands
import Study
import SystemKit

/// `studyd history`: the study's graphs of the participant's own answers.
struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show the participant's own answers in the study's graphs.",
        discussion: """
            Looking at them here tells the study nothing. Only with --seen-by-participant, for when the participant looks at them with you, is
            that reported where the platform wants it, as its app reports its page of graphs.
            Example: studyd history --svg -o history.svg
            """)

    @OptionGroup var common: CommonOptions
    @Flag(name: .long, help: "Print SVG instead of text.")
    var svg = false
    @Flag(name: .long, help: "Print one JSON object.")
    var json = false
    @Flag(
        name: .long, help: "Print every row of the event log instead, one JSON object per line; answers are among them."
    )
    var events = false
    @Flag(name: .long, help: "With --events: include what rules drew, their prompts and the seeds.")
    var unblind = false
    @Flag(name: .long, help: "List the result files of all submitted runs instead, one path per line.")
    var results = false
    @Flag(name: .long, help: "Report to the study that the participant looked at the graphs.")
    var seenByParticipant = false
    @Option(name: .shortAndLong, help: "The file to write; - for standard output.", completion: .file())
    var output = "-"

    func validate() throws {
        guard [svg, json, results, events].count(where: \.self) < 2 else {
            throw ValidationError(
                svg && results ? "use --svg or --results, not both" : "use one of --svg, --json, --results and --events"
            )
        }
        guard !seenByParticipant || !(events || results) else {
            throw ValidationError("--seen-by-participant is for the graphs, not for --events or --results")
        }
    }

    func run() async throws {
        let store = try StoreAccess(common, isReading: !seenByParticipant)
        if !results { try await store.remarkUnreadableAnswers() }
        if events { return try await writeEvents(store) }
        let record = try await enrolment(store)
        if results {
            let paths = ResultFolder(store.folder.results).results(of: record.id)
            return try write(paths.map { $0 + "\n" }.joined())
        }
        let study = try await store.database.requiredStudy(record).study
        let feedback = ParticipantFeedback(study: study, record: record, store: store)
        try await write(svg ? feedback.svg() : json ? feedback.json().text + "\n" : feedback.text())
        if seenByParticipant { try await report(store) }
    }

    private func writeEvents(_ store: StoreAccess) async throws {
        // What rules drew is left out unless --unblind, so that the study team stays blinded.
        let blind = try await store.database.enrolments().contains { $0.record.rules != nil } && !unblind
        var (text, next, count): (String, Int64, Int64) = ("", 1, 0)
        while case let rows = try await store.database.events(from: next), let last = rows.last {
            for row in rows {
                let event = blind ? row.event.blinded : row.event
                guard let event else { continue }
                // Numbered without gaps, which would show where rows were left out.
                count += 1
                text += """
                    {"sequence":\(blind ? count : row.sequence),"enrolment":\(JSONText.quoted(row.stamp.enrolment)),\
                    "wall":\(row.stamp.wall.nanoseconds),"monotonic":\(row.stamp.monotonic.nanoseconds),\
                    "boot":\(JSONText.quoted(row.stamp.bootID)),"event":\(try event.line)}

                    """
            }
            next = last.sequence + 1
        }
        try write(text)
    }

    private func write(_ text: String) throws {
        guard output != "-" else { return Output.text(svg ? text : text.shownLines) }
        try AtomicFile.write(Array(text.utf8), toNamed: output)
        Output.remark("studyd: wrote \(output)")
    }

    /// The enrolment in force; after a withdrawal the last one, with --results or where its study computes
    /// charts that may be shown after leaving.
    private func enrolment(_ store: StoreAccess) async throws -> EnrolmentRecord {
        guard let state = try await store.database.latestEnrolment(), state.withdrawn != nil else {
            return try await store.enrolment()
        }
        if results { return state.record }
        let study = try await store.database.loadedStudy(state.record)?.study
        return study?.feedback?.drawings == nil ? try await store.enrolment() : state.record
    }

    /// Reports that the participant looked at the graphs, which is a page of the platform's app.
    private func report(_ store: StoreAccess) async throws {
        guard try await store.database.latestEnrolment()?.withdrawn == nil else { return }
        if try RunningAgent.ask(common, .graphs) != nil { return }
        defer { store.restoreOwner() }
        try await store.enroller().logGraphsSeen()
    }
}

/// What a study shows its participant: statistics, graphs, charts that the platform computes, and what was
/// completed last.
private struct ParticipantFeedback {
    let study: StudyProtocol
    let record: EnrolmentRecord
    let store: StoreAccess

    /// One SVG with all drawings, one below the other; each keeps its own coordinates.
    func svg() async throws -> String {
        let (width, height) = (640, 360)
        let drawings = try await charts().map(\.svg) + drawings().map(\.svg) + ownGraphs().map(\.svg)
        let inner = drawings.enumerated().map { place, drawing in
            "<svg y=\"\(place * height)\" width=\"\(width)\" height=\"\(height)\"" + drawing.dropFirst("<svg".count)
        }
        let root =
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(max(1, drawings.count) * height)\">"
        return ([root] + inner + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    func json() async throws -> JSONText {
        let graphs = try await charts() + ownGraphs()
        let drawings = try await drawings()
        let figures = try await figures().map(\.json)
        let runs = try await completed().map {
            JSONText.object([.init("time", .string($0.time)), .init("task", .string($0.name))])
        }
        return .object([
            "graphs": .array(graphs.map(\.json)), "charts": .array(drawings.map(\.json)),
            "statistics": .array(figures), "completed": .array(runs),
        ])
    }

    func text() async throws -> String {
        let graphs = try await charts().map { $0.text() } + drawings().map { $0.text() } + ownGraphs().map { $0.text() }
        let figures = try await figures().map { $0.line + "\n" }
        let runs = try await completed()
        let list = runs.isEmpty ? [] : ["Recently completed\n"] + runs.map { "\($0.time)  \($0.name.shown)\n" }
        return (figures + graphs + list).joined()
    }

    /// Charts that the platform computes; what others answered comes from its server.
    private func drawings() async throws -> [StudyDrawing] {
        guard let drawings = study.feedback?.drawings, let enrolment = record.enrolment else { return [] }
        let runs = try await store.database.doneRuns(of: record.id)
        let context = ScheduleContext(
            enrolment: enrolment, zone: store.stamps.zone, chance: Chance(enrolmentSeed: enrolment.seed),
            facts: try await store.database.facts(of: record.id))
        var others: [UInt8]?
        if drawings.wantsPublic {
            do {
                others = try await store.participantRequests.chartData(of: record)
            } catch { Output.remark("studyd: what others answered: \(error)") }
        }
        let isOver = try await store.database.latestEnrolment()?.withdrawn != nil
        return drawings.drawings(of: runs, others: others, in: context, isOver: isOver)
    }

    /// The graphs that the study lists for the participant.
    private func charts() async throws -> [GraphSeries] {
        var graphs: [GraphSeries] = []
        for chart in study.feedback?.charts ?? [] {
            let entries = try await store.database.history(of: chart.graph.question, task: chart.task, in: record.id)
            let points = entries.compactMap { entry in
                entry.value.number(part: chart.part).map {
                    GraphSeries.Point(at: entry.submitted, in: entry.zone ?? store.stamps.zone, value: $0)
                }
            }
            graphs.append(GraphSeries(chart.graph, points: points))
        }
        return graphs
    }

    /// The graphs that tasks have themselves.
    private func ownGraphs() async throws -> [GraphSeries] {
        var graphs: [GraphSeries] = []
        for task in study.tasks {
            guard let graph = task.graph else { continue }
            graphs.append(GraphSeries(graph, points: try await points(of: graph, task)))
        }
        return graphs
    }

    /// The answers of all tasks with the same name to the question with the same id, as the platform's app
    /// draws them.
    private func points(of graph: GraphDescription, _ task: StudyTask) async throws -> [GraphSeries.Point] {
        let name = task.content.steps.first { $0.key == graph.question }?.wireKey
        var entries: [HistoryEntry] = []
        for other in study.tasks where other.wireName == task.wireName {
            guard let step = other.content.steps.last(where: { $0.wireKey == name }) else { continue }
            entries += try await store.database.history(of: step.key, task: other.key, in: record.id)
        }
        return entries.sorted { $0.submitted < $1.submitted }.compactMap { entry in
            GraphSeries.value(of: entry.value).map {
                GraphSeries.Point(at: entry.submitted, in: entry.zone ?? store.stamps.zone, value: $0)
            }
        }
    }

    /// What was completed last, newest first, as the app lists it below the graphs.
    private func completed() async throws -> [(time: String, name: String)] {
        try await store.database.completedRuns(of: record.id, limit: 20).map { run in
            let name = study.task(run.task)?.name ?? ""
            let time = ZonedText(run.submitted, in: run.zone ?? store.stamps.zone).description
            return (time, name.isEmpty ? run.task : name)
        }
    }

    /// One statistic over several stretches of days; nil where there was no answer.
    private struct Figure {
        let statistic: StudyStatistic
        let spans: [(name: String, value: Double?)]

        var line: String {
            let texts = spans.map { span in
                "\(span.name) \(span.value.map { JSONText.spelling(of: ($0 * 100).rounded() / 100) } ?? "-")"
            }
            let unit = statistic.unit.isEmpty ? "" : " (\(statistic.unit))"
            let title = "\(statistic.title)\(unit)".shown
            return "\(title), \(statistic.calculation.rawValue): \(texts.joined(separator: ", "))"
        }

        var json: JSONText {
            .object([
                .init("title", .string(statistic.title)), .init("unit", .string(statistic.unit)),
                .init("calculation", .string(statistic.calculation.rawValue)),
                .init("spans", .object(spans.compactMap { span in span.value.map { .init(span.name, .number($0)) } })),
            ])
        }
    }

    /// The study's statistics over the latest day, week and month, and over all, each
    /// by calendar days.
    private func figures() async throws -> [Figure] {
        let today = store.stamps.zone.local(store.stamps.clock.now).date
        var figures: [Figure] = []
        for figure in study.feedback?.statistics ?? [] {
            let entries = try await store.database.history(of: figure.question, task: figure.task, in: record.id)
            let values = entries.compactMap { entry in
                entry.value.number(part: figure.part).map { (store.stamps.zone.local(entry.submitted).date, $0) }
            }
            let spans = [("today", 0), ("7 days", 6), ("30 days", 29), ("all", 1_000_000)].map { name, days in
                (name: name, value: figure.value(of: values.filter { $0.0 >= today.adding(days: -days) }.map(\.1)))
            }
            figures.append(Figure(statistic: figure, spans: spans))
        }
        return figures
    }
}
