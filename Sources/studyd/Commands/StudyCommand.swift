// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Store
import StudyEngine
import StudyModel
import Times

/// `studyd study`: what a participant may ask about the study.
struct StudyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "study", abstract: "Prints the study's name, texts, contact, and the participant's own id.",
        discussion: "Example: studyd study")

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let store = try StoreAccess(common)
        guard let state = try await store.database.latestEnrolment() else { throw EnrolmentError.notEnrolled }
        Output.line("participant   \(state.record.participant)")
        Output.line(
            "study         \(state.record.studyID) (\(state.record.platform))"
                + (state.withdrawn == nil ? "" : ", left"))
        Output.line("enrolled      \(ZonedText(state.record.instant, in: store.stamps.zone))")
        guard let study = try await store.database.loadedStudy(state.record)?.study else { return }
        let texts = study.texts
        let rows = [
            ("name", texts.name), ("instructions", texts.instructions), ("contact", texts.contactEmail),
            ("help", texts.contactURL), ("ethics", texts.ethics), ("statement", texts.statement),
            ("consent", texts.consent),
        ]
        for (name, text) in rows where !text.isEmpty {
            Output.line(name + String(repeating: " ", count: max(1, 14 - name.count)) + text)
        }
        try await resources(of: study, state.record, store)
    }

    /// What can be read today.
    private func resources(of study: StudyProtocol, _ record: EnrolmentRecord, _ store: StoreAccess) async throws {
        let facts = try await store.database.facts(of: record.id)
        let now = store.stamps.zone.local(store.stamps.clock.now)
        for resource in study.resources
        where resource.isOpen(at: now, enrolled: record.local, variables: facts.variables) {
            Output.line("resource      \(resource.title)")
            if !resource.text.isEmpty { Output.line("              \(resource.text)") }
        }
    }
}

/// `studyd status`: what runs, and the ledger.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Prints what runs, what was recorded and sent, and the ledger.",
        discussion: "Example: studyd status --uploads")

    @OptionGroup var common: CommonOptions
    @Flag(name: .long, help: "Each item of the outbox.")
    var uploads = false
    @Flag(name: .long, help: "One JSON object.")
    var json = false

    func run() async throws {
        if let text = try RunningAgent.ask(common, .status(json: json, uploads: uploads)) { return print(text) }
        let store = try StoreAccess(common)
        let reader = StatusReader(
            database: store.database, view: nil, stamps: store.stamps, folder: store.configuration.state)
        print(try await reader.text(json: json, uploads: uploads))
    }

    private func print(_ text: String) { Output.text(text.hasSuffix("\n") ? text : text + "\n") }
}

/// `studyd history`: the study's graphs of one's own answers.
struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Shows the participant's own answers, as the study's graphs show them.",
        discussion: "Example: studyd history --svg > history.svg")

    @OptionGroup var common: CommonOptions
    @Flag(name: .long, help: "SVG instead of text.")
    var svg = false
    @Flag(name: .long, help: "The files with the results of every submitted run instead, one path a line.")
    var results = false

    func validate() throws {
        guard !(svg && results) else { throw ValidationError("--svg or --results, not both") }
    }

    func run() async throws {
        let store = try StoreAccess(common)
        let record = try await store.enrolment()
        if results {
            for path in ResultFolder(store.folder.results).results(of: record.id) { Output.line(path) }
            return
        }
        guard let study = try await store.database.loadedStudy(record)?.study else { throw EnrolmentError.notEnrolled }
        if !svg { try await figures(of: study, record, store) }
        var drawings: [String] = []
        for chart in study.charts {
            let entries = try await store.database.history(of: chart.graph.question, task: chart.task, in: record.id)
            let points = entries.compactMap { entry -> GraphSeries.Point? in
                entry.value.number(part: chart.part).map {
                    GraphSeries.Point(time: store.stamps.zone.local(entry.submitted), value: $0)
                }
            }
            let series = GraphSeries(chart.graph, points: points)
            if svg { drawings.append(series.svg) } else { Output.text(series.text()) }
        }
        for task in study.tasks {
            guard let graph = task.graph else { continue }
            let series = GraphSeries(graph, points: try await points(of: graph, task, study, record, store))
            if svg { drawings.append(series.svg) } else { Output.text(series.text()) }
        }
        if svg { Output.text(stacked(drawings)) } else { try await completed(study, record, store) }
        try await report(store, record)
    }

    /// The app draws the answers of every module of that name that has a question of that id.
    private func points(
        of graph: GraphDescription, _ task: StudyTask, _ study: StudyProtocol, _ record: EnrolmentRecord,
        _ store: StoreAccess
    ) async throws -> [GraphSeries.Point] {
        let name = task.content.steps.first { $0.key == graph.question }?.wireKey
        var entries: [HistoryEntry] = []
        for other in study.tasks where other.wireName == task.wireName {
            guard let step = other.content.steps.last(where: { $0.wireKey == name }) else { continue }
            entries += try await store.database.history(of: step.key, task: other.key, in: record.id)
        }
        return entries.sorted { $0.submitted < $1.submitted }.compactMap { entry in
            GraphSeries.value(of: entry.value).map {
                GraphSeries.Point(time: store.stamps.zone.local(entry.submitted), value: $0)
            }
        }
    }

    /// What was completed last, newest first, as the app lists it below the graphs.
    private func completed(_ study: StudyProtocol, _ record: EnrolmentRecord, _ store: StoreAccess) async throws {
        let runs = try await store.database.completedRuns(of: record.id, limit: 20)
        guard !runs.isEmpty else { return }
        Output.line("Recently completed")
        for run in runs {
            let name = study.task(run.task)?.name ?? ""
            Output.line("\(ZonedText(run.submitted, in: store.stamps.zone))  \(name.isEmpty ? run.task : name)")
        }
    }

    /// The study's statistics over the latest day, week and month, and over all, each by calendar days.
    private func figures(of study: StudyProtocol, _ record: EnrolmentRecord, _ store: StoreAccess) async throws {
        let today = store.stamps.zone.local(store.stamps.clock.now).date
        for figure in study.statistics {
            let entries = try await store.database.history(of: figure.question, task: figure.task, in: record.id)
            let values = entries.compactMap { entry in
                entry.value.number(part: figure.part).map { (store.stamps.zone.local(entry.submitted).date, $0) }
            }
            let spans = [("today", 0), ("7 days", 6), ("30 days", 29), ("all", 1_000_000)].map { name, days in
                let value = figure.value(of: values.filter { $0.0 >= today.adding(days: -days) }.map(\.1))
                return "\(name) \(value.map { JSONText.spelling(of: ($0 * 100).rounded() / 100) } ?? "-")"
            }
            let unit = figure.unit.isEmpty ? "" : " (\(figure.unit))"
            Output.line("\(figure.title)\(unit), \(figure.calculation.rawValue): \(spans.joined(separator: ", "))")
        }
    }

    /// One drawing of all, one below the other; each keeps its own coordinates.
    private func stacked(_ drawings: [String]) -> String {
        let (width, height) = (640, 360)
        let inner = drawings.enumerated().map { place, drawing in
            "<svg y=\"\(place * height)\" width=\"\(width)\" height=\"\(height)\"" + drawing.dropFirst("<svg".count)
        }
        let root =
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(max(1, drawings.count) * height)\">"
        return ([root] + inner + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    /// Looking at one's graphs is a page of the app, and is reported where the platform wants it.
    private func report(_ store: StoreAccess, _ record: EnrolmentRecord) async throws {
        if try RunningAgent.ask(common, .graphs) != nil { return }
        try await store.enroller().graphsSeen()
    }
}

/// `studyd verify-log`: the event log's hash chain.
struct VerifyLogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-log", abstract: "Checks the hash chain of the event log, or of one that was closed.",
        discussion: """
            Example: studyd verify-log
            Example: studyd verify-log /var/lib/studyd/closed/9f2c4d5e6a7b.sqlite
            """)

    @OptionGroup var common: CommonOptions
    @Argument(
        help: "A log that was closed by 'studyd hand-over', or a copy of one; default: this device's.",
        completion: .file())
    var file: String?

    func run() async throws {
        let (fault, salvages): (ChainFault?, [SalvageRecord])
        if let file {
            (fault, salvages) = (try StudyDatabase.verifyLog(at: file), try StudyDatabase.salvages(at: file))
        } else {
            let database = try StoreAccess(common).database
            (fault, salvages) = (try await database.verifyLog(), try await database.salvages())
        }
        if let fault {
            Output.note("studyd: \(fault)")
            throw ExitCode(1)
        }
        let lost = salvages.filter { $0.lostRows > 0 || $0.isEndUnknown }
        guard lost.isEmpty else {
            for record in lost { Output.note("studyd: \(record.words)") }
            Output.note("studyd: the chain is whole but for the rows that it says are lost")
            throw ExitCode(1)
        }
        Output.line("the chain is whole")
    }
}
