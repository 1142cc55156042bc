// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Commands
import Study
import SystemKit

/// What a study shows its participant, for `studyd history`: statistics, graphs, charts that the platform computes,
/// and what was completed last.
struct ParticipantFeedback {
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
