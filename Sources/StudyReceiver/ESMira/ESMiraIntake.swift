// SPDX-License-Identifier: Apache-2.0
import Times

/// One request to datasets.php: every entry is looked at in turn, then all that is good is written, questionnaires first; each entry has its state.
///
/// Where an entry is broken in a way that the server does not expect, nothing of the whole request is written, and the answer is one error.
struct ESMiraIntake {
    /// What an entry is refused with.
    private struct EntryError: Error {
        let message: String
    }

    /// Rows of one table, and whose they are.
    private struct Batch {
        var ids: [Int] = []
        var rows: [[String]] = []

        mutating func add(_ id: Int, _ row: [String]) {
            if !ids.contains(id) { ids.append(id) }
            rows.append(row)
        }
    }

    private let studies: [Int: ESMiraStudy]
    private let tables: ESMiraTables
    /// Unix ms; also what the server calls the token.
    private let now: Int
    private var user = ""
    private var app = ("", "")
    private var users: [Int: ESMiraUser] = [:]
    private var newcomers: Set<Int> = []
    private var states = ESMiraStates()
    private var statistics: [(study: Int, batch: Batch)] = []
    private var questionnaires: [(study: Int, id: Int, batch: Batch)] = []
    private var events: [(study: Int, batch: Batch)] = []
    private var files: [(study: Int, identifier: Int, name: String)] = []

    /// The least time between two requests of a participant, ms.
    private static let leastPause = 1000

    init(_ studies: [ESMiraStudy], _ tables: ESMiraTables, at now: Instant) {
        self.studies = Dictionary(studies.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        self.tables = tables
        self.now = Int(now.milliseconds)
    }

    /// The answer to a request.
    mutating func answer(_ json: JSONValue) throws -> JSONValue {
        do {
            try prepare(json)
        } catch let refusal as ESMiraRefusal {
            try breakOff()
            return refusal.json
        } catch let fatal as PHPValue.Fatal {
            try breakOff()
            return ESMiraRefusal(fatal.description).json
        }
        try write()
        return ESMiraRefusal.success(.members(["states": states.json, "tokens": .object([])]))
    }

    /// Nothing is written, but the server has made files for those who are new, and leaves them empty.
    private func breakOff() throws {
        for study in newcomers {
            guard var newcomer = users[study] else { continue }
            (newcomer.token, newcomer.datasets, newcomer.counts) = (nil, 0, [:])
            try tables.save(newcomer, of: study)
        }
    }

    // MARK: Looking at it

    private mutating func prepare(_ json: JSONValue) throws {
        guard case .object = json else {
            throw PHPValue.Fatal(
                description: "backend\\CreateDataSet::prepare(): Argument #1 ($json) must be of type stdClass")
        }
        for name in ["userId", "appVersion", "appType", "dataset", "serverVersion"] where !PHPValue.isSet(json[name]) {
            throw ESMiraRefusal("Unexpected data")
        }
        guard try PHPValue.order(json["serverVersion"], .int(ESMiraRefusal.leastVersion)) >= 0 else {
            throw ESMiraRefusal.outdated
        }
        for name in ["userId", "appType", "appVersion"] where !PHPValue.passesStrictCheck(json[name]) {
            throw ESMiraRefusal("Input data not valid")
        }
        guard let user = json["userId"]?.string, let type = json["appType"]?.string else {
            throw PHPValue.Fatal(description: "userId or appType must be of type string")
        }
        self.user = user
        app = (type, try PHPValue.text(json["appVersion"] ?? .null))
        let entries: [JSONValue] =
            switch json["dataset"] {
            case .array(let values): values
            case .object(let members): members.map(\.value)
            default: []
            }
        for entry in entries { try take(entry) }
    }

    private mutating func take(_ value: JSONValue) throws {
        var entry = try ESMiraEntry(value)
        entry.complete(user: user, app: app, at: now)
        do {
            guard try isToBeWritten(&entry) else { return }
            try takeEvent(entry)
            if entry.members["eventType"]?.string == "questionnaire" { try takeQuestionnaire(entry) }
        } catch let error as EntryError {
            states.refuse(entry.id, error.message)
        }
    }

    /// Key, pause, token, kind of event, in this order.
    private mutating func isToBeWritten(_ entry: inout ESMiraEntry) throws -> Bool {
        if try tables.isFrozen(entry.study) { throw EntryError(message: "Study is locked") }
        guard let study = studies[entry.study] else { throw EntryError(message: "Study does not exist") }
        let key = entry.members["accessKey"]
        if !study.keys.isEmpty, PHPValue.isSet(key), key?.string == nil {
            throw PHPValue.Fatal(description: "trim(): Argument #1 ($string) must be of type string")
        }
        guard study.isOpened(by: key) else {
            throw EntryError(message: "Wrong accessKey: " + (key?.string ?? ""))
        }
        guard let language = entry.members["studyLang"], language.string != nil else {
            throw PHPValue.Fatal(
                description:
                    "backend\\subStores\\UserDataStore::addDataSetForSaving(): Argument #5 ($studyLang) must be of type string"
            )
        }
        guard try admit(entry) else { throw EntryError(message: "Too many requests in succession") }
        let token = PHPValue.int(entry.members["token"])
        let isAgain = PHPValue.isTrue(entry.members["reupload"])
        if isAgain, token != 0, token != users[entry.study]?.token {
            // Acknowledged, and thrown away.
            states.accept(entry.id)
            return false
        }
        let person = users[entry.study]
        entry.members["entryId"] = .string(String((person?.number ?? 0) * 1_000_000 + (person?.datasets ?? 0)))
        guard PHPValue.passesStrictCheck(entry.members["eventType"]) else {
            let questionnaire = try PHPValue.text(entry.members["questionnaireName"] ?? .null)
            let event = try PHPValue.text(entry.members["eventType"] ?? .null)
            throw EntryError(message: "Unexpected input! Questionnaire: \(questionnaire); Event-Type: \(event)")
        }
        return true
    }

    /// Counts an entry of a participant; false where the last request is less than a second ago. One whose first request broke off counts as
    /// having come just now.
    private mutating func admit(_ entry: ESMiraEntry) throws -> Bool {
        var person: ESMiraUser
        if let known = users[entry.study] {
            person = known
        } else if var known = try tables.user(user, of: entry.study) {
            if known.token == nil {
                known.number = try tables.users(of: entry.study).count
                known.token = now
            }
            person = known
        } else {
            person = ESMiraUser(
                name: user, number: try tables.users(of: entry.study).count + 1, token: -1, joined: now)
            newcomers.insert(entry.study)
        }
        person.group = PHPValue.int(entry.members["group"])
        person.app = "\(app.0) \(app.1)"
        person.datasets += 1
        person.latest = now
        let questionnaire = entry.members["questionnaireInternalId"]
        if entry.members["eventType"]?.string == "questionnaire", let questionnaire, PHPValue.isSet(questionnaire),
            PHPValue.int(questionnaire) != -1
        {
            person.counts[String(PHPValue.int(questionnaire)), default: 0] += 1
        }
        users[entry.study] = person
        return newcomers.contains(entry.study) || now - (person.token ?? now) >= Self.leastPause
    }

    private mutating func takeEvent(_ entry: ESMiraEntry) throws {
        guard let columns = try tables.columns(ESMiraTables.eventsFile, of: entry.study) else {
            throw EntryError(message: "Study \(entry.study) seems to be broken")
        }
        let row = try columns.map { try entry.answer($0, [:]) }
        if let place = events.firstIndex(where: { $0.study == entry.study }) {
            events[place].batch.add(entry.id, row)
        } else {
            var batch = Batch()
            batch.add(entry.id, row)
            events.append((entry.study, batch))
        }
    }

    private mutating func takeQuestionnaire(_ entry: ESMiraEntry) throws {
        let value = entry.members["questionnaireInternalId"]
        let id = PHPValue.isSet(value) ? PHPValue.int(value) : -1
        guard id > 0, let columns = try tables.columns(String(id), of: entry.study) else {
            let name = try PHPValue.text(entry.members["questionnaireName"] ?? .null)
            throw EntryError(message: "Questionnaire '\(name)' (id=\(id)) does not exist")
        }
        let study = studies[entry.study]
        let known = study?.questionnaires.first { $0.id == id }?.columns
        var row: [String] = []
        for column in columns {
            var answer = try entry.answer(column, known?.aliases ?? [:])
            if let media = known?.media[column] { answer = awaited(answer, column, media, entry) }
            row.append(answer)
            try observe(answer, column, entry, study)
        }
        if let place = questionnaires.firstIndex(where: { $0.study == entry.study && $0.id == id }) {
            questionnaires[place].batch.add(entry.id, row)
        } else {
            var batch = Batch()
            batch.add(entry.id, row)
            questionnaires.append((entry.study, id, batch))
        }
    }

    /// What stands in the table for a file that is still to come; 0 means that there is none.
    private mutating func awaited(
        _ answer: String, _ column: String, _ media: ESMiraColumns.Media, _ entry: ESMiraEntry
    ) -> String {
        let identifier = PHPValue.int(answer)
        guard identifier != 0 else { return "" }
        let name = "\(user)/\(column)-\(PHPValue.int(entry.members["entryId"]))"
        let path = media == .image ? "images/\(name).png" : "audio/\(name).3gpp"
        files.append((entry.study, identifier, path))
        return path
    }

    // MARK: Statistics

    private mutating func observe(
        _ answer: String, _ column: String, _ entry: ESMiraEntry, _ study: ESMiraStudy?
    ) throws {
        guard let observed = study?.observed.variables.first(where: { $0.key == column }) else { return }
        for variable in observed.entries where try entry.fits(variable) {
            let row = [variable.name, String(PHPValue.int(entry.members["responseTime"])), answer]
            if let place = statistics.firstIndex(where: { $0.study == entry.study }) {
                statistics[place].batch.add(entry.id, row)
            } else {
                var batch = Batch()
                batch.add(entry.id, row)
                statistics.append((entry.study, batch))
            }
        }
    }

    // MARK: Writing

    private mutating func write() throws {
        for (study, batch) in statistics {
            for row in batch.rows {
                try tables.count(row[2], at: PHPValue.int(row[1]), for: row[0], of: study)
            }
            for id in batch.ids { states.accept(id) }
        }
        for (study, person) in users {
            var person = person
            person.token = now
            try tables.save(person, of: study)
        }
        for (study, id, batch) in questionnaires {
            for row in batch.rows { try tables.add(row, to: String(id), of: study, user: user) }
            for id in batch.ids { states.accept(id) }
        }
        for (study, batch) in events {
            for row in batch.rows { try tables.add(row, to: ESMiraTables.eventsFile, of: study, user: user) }
            for id in batch.ids { states.accept(id) }
        }
        for (study, identifier, name) in files { try tables.expect(identifier, of: user, in: study, as: name) }
    }
}
