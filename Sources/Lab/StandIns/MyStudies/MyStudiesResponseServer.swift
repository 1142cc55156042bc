// SPDX-License-Identifier: Apache-2.0
import Base
import Lab
import SystemKit

/// The Response server's decisions, call by call, as `MyStudiesRoutes` asks for them: of its checks those that
/// studyd can run into, in its order and words.
///
/// Runs are stored as they come and checked some time afterwards, so that their mistakes never
/// reach the client; a strict server checks them at once and stores none that is wrong. The same
/// run sent twice is stored twice, as on the real server.
struct MyStudiesResponseServer: Sendable {
    /// What is wrong with a call, in the server's words.
    struct Mistake: Error, Sendable {
        let messages: [String]
        var status = 400

        init(_ message: String, status: Int = 400) { (messages, self.status) = ([message], status) }
        init(_ messages: [String]) { self.messages = messages }

        /// The server's envelope: the first message is also its `exception`.
        var envelope: JSONValue {
            .members([
                "exception": .text(messages.first), "success": .boolean(false),
                "errors": .array(messages.map { .members(["msg": .string($0)]) }),
            ])
        }
    }

    let repository: MyStudiesRepository
    let store: MyStudiesStore
    let isStrict: Bool
    /// How long a run waits before it is checked, unless the server is strict.
    let patience: Duration
    let newID: @Sendable () -> String
    let quota: Quota
    /// Whether the lab takes nothing more in that name.
    let isRevoked: @Sendable (String) async throws -> Bool

    // MARK: Enrolment

    /// `enroll`: a participant's key for everything that follows.
    func enroll(_ parameters: [String: String], at now: Instant) async throws -> JSONValue {
        let study = try await checked(parameters)
        let sharing = parameters["allowDataSharing"] ?? ""
        guard ["true", "false", "NA"].contains(sharing) else {
            throw Mistake("Invalid allowDataSharing value: '\(sharing)'")
        }
        let token = Self.trimmedCapitals(parameters["token"])
        let key = String(try Digest(ofText: newID()).description.prefix(32))
        let isNew = try await store.enroll(
            key, study: study.id, token: token.isEmpty ? nil : token, sharing: sharing, at: now)
        guard isNew else { throw Mistake("Token already in use") }
        return .members(["success": .boolean(true), "data": .members(["appToken": .string(key)])])
    }

    /// `validateEnrollmentToken`: throws where `enroll` would refuse study or token; else the properties of the
    /// participant that are known before the enrolment.
    func validate(_ parameters: [String: String]) async throws -> JSONValue {
        let study = try await checked(parameters)
        return .members([
            "success": .boolean(true),
            "preEnrollmentParticipantProperties": study.properties.beforeEnrolment(
                Self.trimmedCapitals(parameters["token"])),
        ])
    }

    /// `resolveEnrollmentToken`: a token's study.
    func resolve(_ parameters: [String: String]) async throws -> JSONValue {
        let token = Self.trimmedCapitals(parameters["token"])
        let study = await repository.studies().first { $0.tokens?.contains(token) == true }
        guard let study, try await !store.isForgotten(token, in: study.id) else {
            throw Mistake("Token is not associated with a study ID", status: 404)
        }
        return .members(["success": .boolean(true), "studyId": .string(study.id)])
    }

    /// The study to enrol in with these parameters; throws where the server would refuse.
    private func checked(_ parameters: [String: String]) async throws -> MyStudiesStudy {
        let id = Self.trimmedCapitals(parameters["studyId"])
        guard let study = await repository.study(id) else {
            throw Mistake("Study with StudyId '\(id)' does not exist")
        }
        let token = Self.trimmedCapitals(parameters["token"])
        guard !token.isEmpty else {
            guard study.tokens != nil else { return study }
            throw Mistake(parameters["language"] == "es" ? "Se requiere un token" : "Token is required")
        }
        if try await store.isUsed(token, in: study.id) { throw Mistake("Token already in use") }
        guard study.tokens?.contains(token) == true, try await !store.isForgotten(token, in: study.id) else {
            throw Mistake("Unknown token: '\(token)'")
        }
        return study
    }

    // MARK: Leaving

    /// `withdrawFromStudy`: the key no longer names a participant; with `delete` what was sent is
    /// deleted too, and the token becomes unknown.
    ///
    /// A participant withdrawn by the staff before keeps the key, as on the real server: every later
    /// call says so.
    func withdraw(_ parameters: [String: String], at now: Instant) async throws -> JSONValue {
        let key = parameters["participantId"] ?? ""
        guard let participant = try await store.participant(key) else { throw Mistake("Invalid ParticipantId.") }
        let study = await repository.study(participant.study)
        let isWithdrawnByStaff = study?.hasWithdrawn(key: key, token: participant.token) == true
        try await store.withdraw(
            participant.id, forgetsKey: !isWithdrawnByStaff, deletes: Self.isTrue(parameters["delete"]), at: now)
        return .members(["success": .boolean(true)])
    }

    /// Who asks, and in which study; the checks that all calls with a participant's key have.
    func participant(_ key: String?) async throws -> (MyStudiesParticipant, MyStudiesStudy) {
        guard let key, let participant = try await store.participant(key) else {
            throw Mistake("Unable to identify participant")
        }
        let study = await repository.study(participant.study)
        if study?.hasWithdrawn(key: key, token: participant.token) == true {
            throw Mistake("Participant has withdrawn from study")
        }
        guard let study else { throw Mistake("AppToken not associated with study") }
        return (participant, study)
    }

    // MARK: Runs

    /// `processResponse`: a run.
    func process(_ body: [UInt8], at now: Instant) async throws -> JSONValue {
        let root = (try? JSONReader.value(String(decoding: body, as: UTF8.self), depthLimit: 64)) ?? .null
        let (participant, study) = try await participant(root["participantId"]?.string)
        // The server itself has no such refusal; studyd tries again.
        if try await isRevoked(participant.key) { throw Mistake("Participant is locked", status: 403) }
        guard study.state.collects else {
            throw Mistake("Response collection is not currently enabled for study [ \(study.id) ]")
        }
        let activity = root["metadata"]?["activityId"]?.string ?? ""
        let version = root["metadata"]?["version"]?.string ?? ""
        if isStrict {
            let errors = Self.rows(of: root, study, activity, version).errors
            guard errors.isEmpty else { throw Mistake(errors) }
        }
        try quota.check(
            Int64(body.count), beside: try await store.runBytes(of: participant.id), of: "participant", quota.perDevice)
        let id = try await store.keep(run: body, of: participant.id, activity: activity, version: version, at: now)
        if isStrict { try await store.finish(id, errors: []) }
        return .members(["success": .boolean(true)])
    }

    /// Checks the runs that have waited long enough.
    func processWaitingRuns(at now: Instant) async throws {
        for run in try await store.pending(until: now - patience, now: now) {
            guard let study = await repository.study(run.study) else {
                try await store.finish(run.id, errors: ["Study \(run.study) is not served"])
                continue
            }
            try await store.finish(run.id, errors: Self.rows(of: run.root, study, run.activity, run.version).errors)
        }
    }

    /// What the server would write for a run, or what is wrong with it.
    private static func rows(
        of root: JSONValue, _ study: MyStudiesStudy, _ activity: String, _ version: String
    ) -> (rows: [MyStudiesListRows.Row], errors: [String]) {
        guard let design = study.design(activity, version) else {
            return ([], ["Design of activity '\(activity)' in version '\(version)' not found"])
        }
        guard design.problems.isEmpty else { return ([], design.problems) }
        guard MyStudiesResult.isMoment(root["data"]?["startTime"]), MyStudiesResult.isMoment(root["data"]?["endTime"])
        else { return ([], ["startTime or endTime is no date as the apps write it"]) }
        guard let results = root["data"]?["results"]?.array else { return ([], ["No results provided in response."]) }
        let rows = MyStudiesListRows(results, design: design, list: activity)
        return (rows.rows, rows.errors)
    }

    // MARK: Reading

    private static let mostRuns = 10_000

    /// `executeSQL`: `{"rows":[{"data":{"<column>":{"value":…}}}]}`, columns under the names by
    /// which they were asked for.
    func executeSQL(_ parameters: [String: String]) async throws -> JSONValue {
        let (participant, study) = try await participant(parameters["participantId"])
        let query: MyStudiesQuery
        do { query = try MyStudiesQuery(parameters["sql"] ?? "") } catch let failure as StandInFailure {
            throw Mistake(failure.description)
        }
        guard let (columns, rows) = try await table(query.table, participant, study) else {
            throw Mistake("Query or table not found: \(query.table)")
        }
        let asked = try query.columns.map { column in
            guard let name = columns.first(where: { $0.lowercased() == column.lowercased() }) else {
                throw Mistake("Could not resolve column: \(column)")
            }
            return (shown: column, name: name.lowercased())
        }
        let found = rows.map { row -> JSONValue in
            let data = asked.map { column in
                let value = row.first { $0.name.lowercased() == column.name }?.value ?? .null
                return JSONValue.Member(name: column.shown, value: .members(["value": value]))
            }
            return .members(["data": .object(data)])
        }
        return .members([
            "schemaName": .string("MobileAppResponse"), "queryName": .string("sql"), "rowCount": .int(found.count),
            "rows": .array(found),
        ])
    }

    /// Nil where there is no such list. One of an activity or a form exists from the activity's first processed run
    /// on, from any participant; that of properties where the study has any.
    private func table(
        _ name: String, _ participant: MyStudiesParticipant, _ study: MyStudiesStudy
    ) async throws -> (columns: [String], rows: [[JSONValue.Member]])? {
        if name.lowercased() == "participantproperties" {
            guard study.properties.exist else { return nil }
            return (study.properties.columns, participant.token.map { [study.properties.row($0)] } ?? [])
        }
        guard let list = study.list(name), try await store.hasProcessed(list.activity, of: study.id) else { return nil }
        let runs = try await store.processed(of: participant.id, limit: Self.mostRuns)
        let rows = runs.flatMap { run in
            let created = MyStudiesDate.written(run.received, in: study.state.zone)
            return Self.rows(of: run.root, study, run.activity, run.version).rows.filter {
                $0.list.lowercased() == name.lowercased()
            }.map { $0.values + [JSONValue.Member(name: "Created", value: .string(created))] }
        }
        return (list.columns + ["Created"], rows)
    }

    // MARK: For people

    /// All who have ever enrolled, the latest first.
    func people() async throws -> [MyStudiesPerson] {
        let studies = await repository.studies()
        return try await store.participants { id, key, token in
            studies.first { $0.id == id }?.hasWithdrawn(key: key, token: token) == true
        }
    }

    // MARK: Parameters

    /// The text in capitals, without white space around it.
    private static func trimmedCapitals(_ text: String?) -> String {
        var rest = Substring(text ?? "")
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return rest.uppercased()
    }

    /// As the server reads a flag.
    private static func isTrue(_ text: String?) -> Bool {
        ["true", "on", "yes", "1"].contains(text?.lowercased() ?? "false")
    }
}
