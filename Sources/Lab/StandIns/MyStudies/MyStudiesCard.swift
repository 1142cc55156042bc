// SPDX-License-Identifier: Apache-2.0
import Base
import Lab

/// A study of FDA MyStudies as a section of the page of all participants (`MyStudiesRoutes.sections`): who has
/// enrolled, what came of their runs, and how many of each activity.
struct MyStudiesCard {
    /// In capitals. Its folder may no longer be served.
    let id: String
    /// What is served of it now.
    let study: MyStudiesStudy?
    let people: [MyStudiesPerson]
    let counts: [MyStudiesCount]
    let failures: [MyStudiesRun]
    /// The receiver's own, for the command that enrols a device.
    let address: String
    let now: Instant

    private static let rows = 50

    private var html: HTML {
        """
        <section class="card"><div class="top"><h2>\(study?.writtenID ?? id)</h2>\(statusTag)<span>FDA MyStudies\(version)</span></div>
        \(facts)\(warnings)\(people.isEmpty ? invitation : peopleTable)\(runTable)\(problems)</section>
        """
    }

    private var statusTag: HTML {
        guard let state = study?.state else { return "<span class=\"tag bad\">not served any more</span>" }
        let style = state.status == .active ? "ok" : "dup"
        let collection: HTML = state.collects ? .none : " <span class=\"tag bad\">accepts no runs</span>"
        return "<span class=\"tag \(style)\">\(state.status.rawValue)</span>\(collection)"
    }

    private var version: String { study.map { " · version \($0.state.version)" } ?? "" }

    private var facts: HTML {
        let runs = people.map(\.runs).reduce(0, +)
        let here = people.filter { $0.withdrawn == nil && !$0.isWithdrawnByStaff }.count
        var facts: [HTML] = [
            "<li><b>\(here)</b> \(here == 1 ? "participant" : "participants")",
            "<li><b>\(people.count - here)</b> withdrawn", "<li><b>\(runs)</b> \(runs == 1 ? "run" : "runs")",
        ]
        if let tokens = study?.tokens {
            let used = people.filter(\.hasToken).count
            facts.append("<li><b>\(used)</b> of <b>\(tokens.count)</b> enrolment tokens used")
        }
        return "<ul class=\"facts\">\(facts)</ul>"
    }

    private var invitation: HTML {
        """
        <p class="none">No participant has enrolled yet. To enrol a device, run:</p>
        <pre>studyd enroll \(address)/mystudies \(study?.tokens == nil ? "--study \(id)" as String : "--token TOKEN")</pre>
        """
    }

    private var warnings: HTML {
        let lines = (study?.warnings ?? []).prefix(Self.rows).map { warning in
            "<li><span class=\"tag dup\">study</span> \(warning)" as HTML
        }
        return lines.isEmpty ? .none : "<ul class=\"problems\">\(lines)</ul>"
    }

    // MARK: Participants

    private var peopleTable: HTML {
        """
        <h3>Participants</h3><div class="scroll"><table><thead><tr><th>participant<th class="wide">enrolled (UTC)<th>sharing<th
        class="n">runs<th class="n">processed<th class="n wide">pending<th class="n">errors<th>last run</thead><tbody>\(
        people.prefix(Self.rows).map(row))</tbody></table></div>\(rest(people.count))
        """
    }

    private func row(_ person: MyStudiesPerson) -> HTML {
        let word = person.isWithdrawnByStaff ? "withdrawn by staff" : "withdrawn"
        let hasLeft = person.withdrawn != nil || person.isWithdrawnByStaff
        let left: HTML = hasLeft ? " <span class=\"tag dup\">\(word)</span>" : .none
        let failed: HTML = person.failed == 0 ? "0" : "<b class=\"bad\">\(person.failed)</b>"
        return """
            <tr><td><code>\(person.short)</code>\(left)<td class="t wide">\(person.enrolled.shown())<td>\(Self.shown(person.sharing))<td
            class="n">\(person.runs)<td class="n">\(person.processed)<td class="n wide">\(person.pending)<td class="n">\(failed)<td
            class="t">\(person.latest.map { now.ago($0) } ?? "–")</tr>
            """
    }

    private static func shown(_ sharing: String) -> String {
        switch sharing {
        case "true": "yes"
        case "false": "no"
        default: "not asked"
        }
    }

    // MARK: Runs

    private var runTable: HTML {
        guard !counts.isEmpty else { return .none }
        let rows = counts.prefix(Self.rows).map { count in
            """
            <tr><td>\(count.activity)<td>\(count.version)<td class="n">\(count.runs)<td class="n">\(count.participants)</tr>
            """ as HTML
        }
        return """
            <h3>Runs</h3><div class="scroll"><table><thead><tr><th>activity<th>version<th class="n">runs<th
            class="n">participants</thead><tbody>\(rows)</tbody></table></div>\(rest(counts.count))
            """
    }

    private func rest(_ count: Int) -> HTML {
        count > Self.rows ? "<p class=\"none\">and \(count - Self.rows) more</p>" : .none
    }

    private var problems: HTML {
        guard !failures.isEmpty else { return .none }
        let lines = failures.map { run in
            """
            <li><span class="tag bad">error</span> <code>\(run.short)</code> \(run.activity) \(run.version), \(now.ago(run.received)): \(
            run.errors.joined(separator: "; "))
            """ as HTML
        }
        return "<h3>Runs that could not be processed</h3><ul class=\"problems\">\(lines)</ul>"
    }
}

extension MyStudiesCard {
    /// A section for each study that is served or has participants; runs that have waited long enough
    /// are processed first, so that it shows their outcome.
    static func all(_ api: MyStudiesResponseServer, address: String, now: Instant) async throws -> [HTML] {
        try await api.processWaitingRuns(at: now)
        let studies = await api.repository.studies()
        let people = Dictionary(grouping: try await api.people(), by: \.study)
        let counts = Dictionary(grouping: try await api.store.counts(), by: \.study)
        var cards: [HTML] = []
        for id in Set(studies.map(\.id)).union(people.keys).sorted() {
            let card = MyStudiesCard(
                id: id, study: studies.first { $0.id == id }, people: people[id] ?? [], counts: counts[id] ?? [],
                failures: try await api.store.failedRuns(of: id, limit: rows), address: address, now: now)
            cards.append(card.html)
        }
        return cards
    }
}
