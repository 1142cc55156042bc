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

    /// One entry while it is looked at.
    private struct Entry {
        let id: Int
        let study: Int
        /// Its members; the server adds some.
        var members: [String: JSONValue]
        var responses: [String: JSONValue]

        /// A member, or a response, or that under the name of older apps.
        func answer(_ key: String, _ aliases: [String: String]) throws -> String {
            for name in [key, aliases[key]].compactMap(\.self) {
                for value in [members[name], responses[name]].compactMap(\.self) where PHPValue.isSet(value) {
                    return PHPValue.oneLine(try PHPValue.text(value))
                }
            }
            return ""
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
    private var output: [(key: Int, value: JSONValue)] = []
    private var places: [Int: Int] = [:]
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
        return ESMiraRefusal.success(.members(["states": states, "tokens": .object([])]))
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
        guard case .object(let members) = value else {
            throw PHPValue.Fatal(
                description: "backend\\CreateDataSet::handleDataSet(): Argument #1 ($dataSet) must be of type stdClass")
        }
        guard case .object(let responses)? = value["responses"] else {
            let type =
                switch value["responses"] {
                case nil, .null: "null"
                case .array: "array"
                case .bool(let value): value ? "true" : "false"
                case .number(let text): Int(text) == nil ? "float" : "int"
                default: "string"
                }
            throw PHPValue.Fatal(description: "Attempt to assign property \"userId\" on \(type)")
        }
        var entry = Entry(
            id: PHPValue.int(value["dataSetId"]), study: PHPValue.int(value["studyId"]),
            members: members.reduce(into: [:]) { $0[$1.name] = $1.value },
            responses: responses.reduce(into: [:]) { $0[$1.name] = $1.value })
        complete(&entry)
        do {
            guard try isToBeWritten(&entry) else { return }
            try takeEvent(entry)
            if entry.members["eventType"]?.string == "questionnaire" { try takeQuestionnaire(entry) }
        } catch let error as EntryError {
            refuse(entry.id, error.message)
        }
    }

    /// What the server knows better than the app.
    private func complete(_ entry: inout Entry) {
        func formatted(_ value: JSONValue?) -> JSONValue { .string(Self.formatted(PHPValue.int(value))) }
        if PHPValue.isSet(entry.responses["actionScheduledTo"]) {
            entry.responses["actionScheduledTo_formatted"] = formatted(entry.responses["actionScheduledTo"])
        }
        if let invitation = entry.responses["lastInvitation"], PHPValue.isSet(invitation),
            (try? PHPValue.order(invitation, .int(0))) != 0
        {
            entry.responses["lastInvitation_formatted"] = formatted(invitation)
        }
        if PHPValue.isSet(entry.members["responseTime"]) {
            entry.members["responseTime_formatted"] = formatted(entry.members["responseTime"])
        }
        entry.responses["userId"] = .string(user)
        entry.responses["uploaded"] = .int(now)
        entry.responses["uploaded_formatted"] = .string(Self.formatted(now))
        entry.responses["appType"] = .string(app.0)
        entry.responses["appVersion"] = .string(app.1)
        let version = PHPValue.int(entry.members["studyVersion"])
        let below = PHPValue.int(entry.members["studySubVersion"])
        entry.members["studyVersion"] = .string("\(version).\(below)")
    }

    /// Key, pause, token, kind of event, in this order.
    private mutating func isToBeWritten(_ entry: inout Entry) throws -> Bool {
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
            accept(entry.id)
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
    private mutating func admit(_ entry: Entry) throws -> Bool {
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

    private mutating func takeEvent(_ entry: Entry) throws {
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

    private mutating func takeQuestionnaire(_ entry: Entry) throws {
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
        _ answer: String, _ column: String, _ media: ESMiraColumns.Media, _ entry: Entry
    ) -> String {
        let identifier = PHPValue.int(answer)
        guard identifier != 0 else { return "" }
        let name = "\(user)/\(column)-\(PHPValue.int(entry.members["entryId"]))"
        let path = media == .image ? "images/\(name).png" : "audio/\(name).3gpp"
        files.append((entry.study, identifier, path))
        return path
    }

    // MARK: Statistics

    private mutating func observe(_ answer: String, _ column: String, _ entry: Entry, _ study: ESMiraStudy?) throws {
        guard let observed = study?.observed.variables.first(where: { $0.key == column }) else { return }
        for variable in observed.entries where try Self.fits(variable, entry) {
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

    /// As the server has it: of conditions joined by "or" one that fails everywhere passes too.
    private static func fits(_ variable: ESMiraObserved.Entry, _ entry: Entry) throws -> Bool {
        let type = PHPValue.int(variable.conditionType)
        guard type != 0 else { return true }
        for condition in variable.conditions {
            let key = condition["key"]?.string ?? ""
            let given = entry.responses[key].flatMap { PHPValue.isSet($0) ? $0 : nil } ?? entry.members[key]
            let order = try PHPValue.order(given, condition["value"])
            let isTrue =
                switch PHPValue.int(condition["operator"]) {
                case 0: order == 0
                case 1: order != 0
                case 2: order >= 0
                case 3: order <= 0
                default: true
                }
            if isTrue, type == 2 { return true }
            if !isTrue, type == 1 { return false }
        }
        return true
    }

    // MARK: Writing

    private mutating func write() throws {
        for (study, batch) in statistics {
            for row in batch.rows {
                try tables.count(row[2], at: PHPValue.int(row[1]), for: row[0], of: study)
            }
            for id in batch.ids { accept(id) }
        }
        for (study, person) in users {
            var person = person
            person.token = now
            try tables.save(person, of: study)
        }
        for (study, id, batch) in questionnaires {
            for row in batch.rows { try tables.add(row, to: String(id), of: study, user: user) }
            for id in batch.ids { accept(id) }
        }
        for (study, batch) in events {
            for row in batch.rows { try tables.add(row, to: ESMiraTables.eventsFile, of: study, user: user) }
            for id in batch.ids { accept(id) }
        }
        for (study, identifier, name) in files { try tables.expect(identifier, of: user, in: study, as: name) }
    }

    private mutating func accept(_ id: Int) {
        guard places[id] == nil else { return }
        places[id] = output.count
        append(.members(["dataSetId": .int(id), "success": .bool(true)]))
    }

    /// A number that was answered before is answered at the place that is its number, by a slip of the server's.
    private mutating func refuse(_ id: Int, _ message: String) {
        let state = JSONValue.members([
            "dataSetId": .int(id), "success": .bool(false), "error": .string(message),
        ])
        guard places[id] != nil else {
            places[id] = output.count
            return append(state)
        }
        if let place = output.firstIndex(where: { $0.key == id }) {
            output[place].value = state
        } else {
            output.append((id, state))
        }
    }

    private mutating func append(_ state: JSONValue) {
        output.append(((output.map(\.key).max() ?? -1) + 1, state))
    }

    /// A list as long as its places are 0, 1, 2 …, else an object.
    private var states: JSONValue {
        output.map(\.key) == Array(output.indices)
            ? .array(output.map(\.value))
            : .object(output.map { .init(name: String($0.key), value: $0.value) })
    }

    /// `2026/11/21 07:10:00`, in UTC; empty outside the years that are reckoned with here.
    private static func formatted(_ milliseconds: Int) -> String {
        let second = Int64((Double(milliseconds) / 1000).rounded())
        guard (-2_000_000_000...7_258_118_400).contains(second) else { return "" }
        return Instant(seconds: second).shown().replacing("-", with: "/")
    }
}

/// An error of a whole request, and the envelope around every answer; all come with status 200.
struct ESMiraRefusal: Error {
    private let message: String
    private var code = 0

    /// The number of the present protocol, and the least that an app may speak.
    static let version = 11
    static let leastVersion = 7

    static let outdated = ESMiraRefusal("This app is outdated. Aborting")

    init(_ message: String, code: Int = 0) { (self.message, self.code) = (message, code) }

    var json: JSONValue {
        .members([
            "success": .bool(false), "serverVersion": .int(Self.version), "error": .string(message),
            "errorCode": .int(code),
        ])
    }

    static func success(_ dataset: JSONValue) -> JSONValue {
        .members(["success": .bool(true), "serverVersion": .int(Self.version), "dataset": dataset])
    }
}
