// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The Response server's decisions, call by call: what it checks, in which order, in which words.
///
/// Runs are stored as they come and looked at some time afterwards, so that their mistakes never
/// reach the client; a strict desk looks at them at once and stores none that is wrong. The same
/// run sent twice is stored twice, as there.
struct MyStudiesDesk: Sendable {
    struct Mistake: Error, Sendable {
        var status = 400
        let message: String
        private var field: String?
        init(_ message: String, field: String? = nil, status: Int = 400) {
            self.message = message
            self.field = field
            self.status = status
        }
    }

    /// All that is wrong with a call.
    struct Mistakes: Error, Sendable {
        let all: [Mistake]
    }

    let shelf: MyStudiesRepository
    let archive: Archive
    let isStrict: Bool
    /// How long a run lies before it is looked at, unless the desk is strict.
    let patience: Duration
    let newID: @Sendable () -> String
    let quota: Quota

    // MARK: Enrolment

    /// `enroll`: a participant's key for everything that follows. The sharing choice is checked
    /// whatever is wrong with the token.
    func enroll(_ parameters: [String: String], at now: Instant) async throws -> JSONValue {
        var mistakes: [Mistake] = []
        var study: MyStudiesStudy?
        do { study = try await checked(parameters) } catch let mistake as Mistake { mistakes.append(mistake) }
        let sharing = parameters["allowDataSharing"] ?? ""
        if Self.isBlank(sharing) {
            mistakes.append(Mistake("allowDataSharing is required"))
        } else if !["true", "false", "NA"].contains(sharing) {
            mistakes.append(Mistake("Invalid allowDataSharing value: '\(sharing)'", field: "allowDataSharing"))
        }
        guard let study, mistakes.isEmpty else { throw Mistakes(all: mistakes) }
        let token = Self.trimmed(parameters["token"])
        let key = String(try Digest(ofText: newID()).description.prefix(32))
        let isNew = try await archive.enroll(
            key, study: study.id, token: token.isEmpty ? nil : token, sharing: sharing, at: now)
        guard isNew else { throw Mistake("Token already in use") }
        return .members(["success": .boolean(true), "data": .members(["appToken": .string(key)])])
    }

    /// `validateEnrollmentToken`.
    func validate(_ parameters: [String: String]) async throws -> JSONValue {
        let study = try await checked(parameters)
        return .members([
            "success": .boolean(true),
            "preEnrollmentParticipantProperties": study.properties.beforeEnrolment(Self.trimmed(parameters["token"])),
        ])
    }

    /// `resolveEnrollmentToken`: a token's study.
    func resolve(_ parameters: [String: String]) async throws -> JSONValue {
        let token = Self.trimmed(parameters["token"])
        guard !token.isEmpty else { throw Mistake("Token is required") }
        guard MyStudiesToken.isValid(token) else { throw Mistake("Invalid token: '\(token)'", field: "token") }
        let study = try await shelf.studies().first { $0.tokens?.contains(token) == true }
        guard let study, try await !archive.isForgotten(token, in: study.id) else {
            throw Mistake("Token is not associated with a study ID", status: 404)
        }
        return .members(["success": .boolean(true), "studyId": .string(study.id)])
    }

    /// The study that may be enrolled in with what is given.
    private func checked(_ parameters: [String: String]) async throws -> MyStudiesStudy {
        let id = Self.trimmed(parameters["studyId"])
        guard !id.isEmpty else { throw Mistake("StudyId is required") }
        guard let study = try await shelf.study(id) else {
            throw Mistake("Study with StudyId '\(id)' does not exist", field: "studyId")
        }
        let token = Self.trimmed(parameters["token"])
        guard !token.isEmpty else {
            guard study.tokens != nil else { return study }
            throw Mistake(parameters["language"] == "es" ? "Se requiere un token" : "Token is required")
        }
        if try await archive.isUsed(token, in: study.id) { throw Mistake("Token already in use") }
        guard MyStudiesToken.isValid(token) else { throw Mistake("Invalid token: '\(token)'", field: "token") }
        guard study.tokens?.contains(token) == true, try await !archive.isForgotten(token, in: study.id) else {
            throw Mistake("Unknown token: '\(token)'", field: "token")
        }
        return study
    }

    // MARK: Leaving

    /// `withdrawFromStudy`: the key means nobody any more; with `delete` what was sent is gone too,
    /// and the token unknown.
    ///
    /// Who was withdrawn by the staff before keeps the key, as there: every later call is told so.
    func withdraw(_ parameters: [String: String], at now: Instant) async throws -> JSONValue {
        guard let key = parameters["participantId"], !Self.isBlank(key) else {
            throw Mistake("ParticipantId not included in request")
        }
        guard let participant = try await archive.participant(key) else { throw Mistake("Invalid ParticipantId.") }
        let study = try await shelf.study(participant.study)
        let isOut = study?.hasWithdrawn(key: key, token: participant.token) == true
        try await archive.withdraw(
            participant.id, forgetsKey: !isOut, deletes: Self.isTrue(parameters["delete"]), at: now)
        return .members(["success": .boolean(true)])
    }

    /// Who asks, and in which study; the checks that all calls with a participant's key have.
    func participant(_ key: String?) async throws -> (MyStudiesParticipant, MyStudiesStudy) {
        guard let key, !Self.isBlank(key) else { throw Mistake("ParticipantId not included in request") }
        guard let participant = try await archive.participant(key) else {
            throw Mistake("Unable to identify participant")
        }
        let study = try await shelf.study(participant.study)
        if study?.hasWithdrawn(key: key, token: participant.token) == true {
            throw Mistake("Participant has withdrawn from study")
        }
        guard let study else { throw Mistake("AppToken not associated with study") }
        return (participant, study)
    }

    // MARK: Runs

    /// `processResponse`: a run. The last checks are all made, so that several mistakes may
    /// be in one answer.
    func process(_ body: [UInt8], at now: Instant) async throws -> JSONValue {
        let root = (try? JSONReader.value(String(decoding: body, as: UTF8.self), depthLimit: 64)) ?? .null
        guard let metadata = root["metadata"], case .object = metadata else { throw Mistake("Metadata not found") }
        let (participant, study) = try await participant(root["participantId"]?.string)
        let activity = metadata["activityId"]?.string ?? ""
        let version = metadata["version"]?.string ?? ""
        var mistakes: [Mistake] = []
        if Self.isBlank(activity) { mistakes.append(Mistake("ActivityId not included in request")) }
        if Self.isBlank(version) { mistakes.append(Mistake("SurveyVersion not included in request")) }
        if root["data"]?.isNull != false { mistakes.append(Mistake("Response not included in request")) }
        if !study.state.collects {
            mistakes.append(Mistake("Response collection is not currently enabled for study [ \(study.id) ]"))
        }
        guard mistakes.isEmpty else { throw Mistakes(all: mistakes) }
        if isStrict {
            let (errors, _) = try await parse(root, study, activity, version)
            guard errors.isEmpty else { throw Mistakes(all: errors.map { Mistake($0) }) }
        }
        try await quota.admit(Int64(body.count), ofParticipant: participant.id)
        let id = try await archive.keep(
            run: body, of: participant.id, activity: activity, version: version, at: now)
        if isStrict {
            let run = MyStudiesRun(
                id: id, participant: participant.id, study: study.id, activity: activity, version: version, body: body,
                received: now)
            try await examine(run, study, at: now)
        }
        return .members(["success": .boolean(true)])
    }

    /// Looks at the runs that have lain long enough.
    func settle(at now: Instant) async throws {
        for run in try await archive.pending(until: now - patience, now: now) {
            guard let study = try await shelf.study(run.study) else {
                try await archive.finish(run, errors: ["Study \(run.study) is not served"], rows: [], at: now)
                continue
            }
            try await examine(run, study, at: now)
        }
    }

    private func examine(_ run: MyStudiesRun, _ study: MyStudiesStudy, at now: Instant) async throws {
        let root = (try? JSONReader.value(String(decoding: run.body, as: UTF8.self), depthLimit: 64)) ?? .null
        let (errors, rows) = try await parse(root, study, run.activity, run.version)
        try await archive.finish(run, errors: errors, rows: rows, at: now)
    }

    /// What is wrong with a run, or its rows; the lists for them are there then.
    private func parse(
        _ root: JSONValue, _ study: MyStudiesStudy, _ activity: String, _ version: String
    ) async throws -> (errors: [String], rows: [MyStudiesRows.Row]) {
        guard let design = study.design(activity, version) else {
            return (["Design of activity '\(activity)' in version '\(version)' not found"], [])
        }
        guard design.problems.isEmpty else { return (design.problems, []) }
        do { try await archive.ensure(design.lists(activity), study: study.id) } catch let failure as MyStudiesFailure {
            return ([failure.description], [])
        }
        guard MyStudiesResult.isMoment(root["data"]?["startTime"]), MyStudiesResult.isMoment(root["data"]?["endTime"])
        else { return (["Cannot deserialize value of type `java.util.Date` from startTime or endTime"], []) }
        guard let results = root["data"]?["results"]?.array else { return (["No results provided in response."], []) }
        let rows = MyStudiesRows(results, design: design, list: activity)
        return (rows.errors, rows.errors.isEmpty ? rows.rows : [])
    }

    // MARK: For people

    /// Everybody who has ever enrolled, the latest first.
    func people() async throws -> [MyStudiesPerson] {
        let studies = try await shelf.studies()
        return try await archive.participants { id, key, token in
            studies.first { $0.id == id }?.hasWithdrawn(key: key, token: token) == true
        }
    }

    // MARK: Words

    /// Without white space around it, in capitals.
    private static func trimmed(_ text: String?) -> String {
        var rest = Substring(text ?? "")
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return rest.uppercased()
    }

    /// As the server reads a flag.
    private static func isTrue(_ text: String?) -> Bool {
        ["true", "on", "yes", "1"].contains(text?.lowercased() ?? "false")
    }

    private static func isBlank(_ text: String) -> Bool { text.allSatisfy(\.isWhitespace) }
}

extension MyStudiesDesk.Mistake {
    /// The server's envelope around one or several mistakes: the first is also its `exception`.
    static func envelope(_ mistakes: [MyStudiesDesk.Mistake]) -> JSONValue {
        .members([
            "exception": .text(mistakes.first?.message), "success": .boolean(false),
            "errors": .array(
                mistakes.map { mistake in
                    .members([
                        "msg": .string(mistake.message), "field": .text(mistake.field ?? "form"),
                        "id": .text(mistake.field ?? "form"), "message": .string(mistake.message),
                        "severity": .string("ERROR"),
                    ])
                }),
        ])
    }
}
