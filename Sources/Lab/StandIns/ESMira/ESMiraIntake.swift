// SPDX-License-Identifier: Apache-2.0
import Base
import Lab

/// One request to datasets.php, for `ESMiraAPI.datasets`: every entry is checked and written in turn, and its state is
/// in the answer. Used within a transaction.
struct ESMiraIntake {
    private let studies: [Int: ESMiraServedStudy]
    private let tables: ESMiraTables
    /// Unix ms.
    private let now: Int
    private var user = ""
    private var app = (type: "", version: "")
    private var users: [Int: ESMiraUser] = [:]
    /// Entries refused, with a questionnaire filled out, and others: in this order the server
    /// lists their states.
    private var states: (refused: [JSONValue], filled: [JSONValue], other: [JSONValue]) = ([], [], [])

    /// The least time between two requests of a participant, ms.
    private static let leastPause = 1000

    init(_ studies: [ESMiraServedStudy], _ tables: ESMiraTables, at now: Instant) {
        self.studies = Dictionary(studies.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        self.tables = tables
        self.now = Int(now.milliseconds)
    }

    mutating func answer(_ json: JSONValue) throws -> JSONValue {
        for name in ["userId", "appVersion", "appType", "dataset", "serverVersion"]
        where !ESMiraValue.isSet(json[name]) { return ESMiraRefusal("Unexpected data").json }
        user = ESMiraValue.text(json["userId"])
        app = (ESMiraValue.text(json["appType"]), ESMiraValue.text(json["appVersion"]))
        guard [user, app.type, app.version].allSatisfy(ESMiraValue.isName) else {
            return ESMiraRefusal("Input data not valid").json
        }
        for value in json["dataset"]?.array ?? [] { try take(ESMiraEntry(value, user: user, app: app, at: now)) }
        for (study, person) in users {
            var person = person
            person.handled = now
            try tables.save(person, of: study)
        }
        let all = states.refused + states.filled + states.other
        return ESMiraAPI.success(.members(["states": .array(all), "tokens": .object([])]))
    }

    private mutating func take(_ entry: ESMiraEntry) throws {
        var entry = entry
        let id = JSONValue.int(entry.id)
        do {
            let study = try admit(&entry)
            let isFilled = entry.event == "questionnaire"
            try addEvent(entry)
            if isFilled { try addAnswers(entry, study) }
            let state = JSONValue.members(["dataSetId": id, "success": .boolean(true)])
            if isFilled { states.filled.append(state) } else { states.other.append(state) }
        } catch let refusal as ESMiraRefusal {
            states.refused.append(
                .members(["dataSetId": id, "success": .boolean(false), "error": .string(refusal.message)]))
        }
    }

    /// Checks in the server's order: lock, study, key, pause, kind of event. Counts the entry with its participant,
    /// and gives it its number.
    private mutating func admit(_ entry: inout ESMiraEntry) throws -> ESMiraServedStudy {
        if try tables.isFrozen(entry.study) { throw ESMiraRefusal("Study is locked") }
        guard let study = studies[entry.study] else { throw ESMiraRefusal("Study does not exist") }
        guard study.isOpened(by: entry["accessKey"]?.string) else {
            throw ESMiraRefusal("Wrong accessKey: " + ESMiraValue.text(entry["accessKey"]))
        }
        let known = try users[study.id] ?? tables.user(user, of: study.id)
        var person = try known ?? newcomer(study.id)
        person.group = ESMiraValue.whole(entry["group"])
        person.app = "\(app.type) \(app.version)"
        person.datasets += 1
        if entry.event == "questionnaire", entry.questionnaire != -1 {
            person.counts[String(entry.questionnaire), default: 0] += 1
        }
        // As on the server: the first request of a participant who has only asked for a reward so far is refused,
        // however late it comes.
        let isTooSoon = person.handled.map { now - $0 < Self.leastPause } ?? (known != nil && users[study.id] == nil)
        if isTooSoon { person.handled = now }
        users[study.id] = person
        if isTooSoon { throw ESMiraRefusal("Too many requests in succession") }
        entry["entryId"] = .int(person.number * 1_000_000 + person.datasets)
        guard ESMiraValue.isName(entry.event) else {
            let name = ESMiraValue.text(entry["questionnaireName"])
            throw ESMiraRefusal("Unexpected input! Questionnaire: \(name); Event-Type: \(entry.event)")
        }
        return study
    }

    private func newcomer(_ study: Int) throws -> ESMiraUser {
        let newcomer = ESMiraUser(name: user, number: try tables.nextNumber(in: study), joined: now)
        // `ESMiraTables.add` counts a row's bytes with the participant, who has to be there.
        try tables.save(newcomer, of: study)
        return newcomer
    }

    /// Writes the event, also of a questionnaire that is then refused.
    private func addEvent(_ entry: ESMiraEntry) throws {
        let columns = try tables.columns(ESMiraTables.eventsFile, of: entry.study) ?? []
        try tables.add(columns.map { entry.cell($0) }, to: ESMiraTables.eventsFile, of: entry.study, user: user)
    }

    private func addAnswers(_ entry: ESMiraEntry, _ study: ESMiraServedStudy) throws {
        let known = study.questionnaires.first { $0.id == entry.questionnaire }?.columns
        guard let known, let columns = try tables.columns(String(entry.questionnaire), of: study.id) else {
            let name = ESMiraValue.text(entry["questionnaireName"])
            throw ESMiraRefusal("Questionnaire '\(name)' (id=\(entry.questionnaire)) does not exist")
        }
        let row = try columns.map { column in
            var cell = entry.cell(column)
            if known.recorded.contains(column) { cell = try awaited(cell, column, entry) }
            for variable in study.observed.variables.first(where: { $0.key == column })?.entries ?? []
            where entry.fits(variable) {
                try tables.count(cell, at: ESMiraValue.whole(entry["responseTime"]), for: variable.name, of: study.id)
            }
            return cell
        }
        try tables.add(row, to: String(entry.questionnaire), of: study.id, user: user)
    }

    /// The table's value for a file that is still to come; 0 means that there is none.
    private func awaited(_ cell: String, _ column: String, _ entry: ESMiraEntry) throws -> String {
        let identifier = Int(cell) ?? 0
        guard identifier != 0 else { return "" }
        let path = "audio/\(user)/\(column)-\(entry.cell("entryId")).3gpp"
        try tables.expect(identifier, of: user, in: entry.study, as: path)
        return path
    }
}
