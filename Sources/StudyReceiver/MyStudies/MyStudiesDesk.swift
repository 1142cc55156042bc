// SPDX-License-Identifier: Apache-2.0
import Times

/// The Response server's decisions, call by call: what it checks, in which order, in which words.
///
/// Answers to a run are stored as they come and looked at afterwards, so that their mistakes never reach the client; a strict desk
/// looks at them at once. The same run sent twice is stored twice, as there.
struct MyStudiesDesk: Sendable {
    /// One mistake.
    struct Mistake: Error, Sendable {
        var status = 400
        let message: String
        var field: String?
        init(_ message: String, field: String? = nil, status: Int = 400) {
            self.message = message
            self.field = field
            self.status = status
        }
    }

    let studies: [MyStudiesStudy]
    let archive: Archive
    let isStrict: Bool
    let newID: @Sendable () -> String

    /// `enroll`: a participant's key for everything that follows.
    func enroll(_ parameters: [String: String], at now: Instant) async throws -> JSONValue {
        let study = try study(parameters["studyId"])
        let token = Self.trimmed(parameters["token"])
        try await check(token, of: study)
        guard let sharing = parameters["allowDataSharing"], !sharing.isEmpty else {
            throw Mistake("allowDataSharing is required")
        }
        guard ["true", "false", "NA"].contains(sharing) else {
            throw Mistake("Invalid allowDataSharing value: '\(sharing)'")
        }
        let key = try Hash.sha256(newID().utf8).prefix(16).map {
            $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16)
        }
        .joined()
        try await archive.enroll(key, study: study.id, token: token.isEmpty ? nil : token, sharing: sharing, at: now)
        return .members(["success": .bool(true), "data": .members(["appToken": .string(key)])])
    }

    /// `validateEnrollmentToken`.
    func validate(_ parameters: [String: String]) async throws -> JSONValue {
        try await check(Self.trimmed(parameters["token"]), of: try study(parameters["studyId"]))
        return .members(["success": .bool(true), "preEnrollmentParticipantProperties": .array([])])
    }

    /// `resolveEnrollmentToken`: a token's study.
    func resolve(_ parameters: [String: String]) throws -> JSONValue {
        let token = Self.trimmed(parameters["token"])
        guard MyStudiesToken.isValid(token) else { throw Mistake("Invalid token: '\(token)'", field: "token") }
        guard let study = studies.first(where: { $0.tokens?.contains(token) == true }) else {
            throw Mistake("Token is not associated with a study ID", status: 404)
        }
        return .members(["success": .bool(true), "studyId": .string(study.id)])
    }

    /// `withdrawFromStudy`: the key means nobody any more; with `delete` what was sent is gone too.
    func withdraw(_ parameters: [String: String], at now: Instant) async throws -> JSONValue {
        guard let key = parameters["participantId"], !key.isEmpty else {
            throw Mistake("ParticipantId not included in request")
        }
        guard try await archive.withdraw(key, deletes: parameters["delete"] == "true", at: now) else {
            throw Mistake("Invalid ParticipantId.")
        }
        return .members(["success": .bool(true)])
    }

    /// `processResponse`: a run. The last checks are all made, so that several mistakes may be in one answer.
    func process(_ body: [UInt8], at now: Instant) async throws -> (answer: JSONValue, mistakes: [Mistake]) {
        guard let root = try? JSONReader.value(String(decoding: body, as: UTF8.self), depthLimit: 64),
            let metadata = root["metadata"], case .object = metadata
        else { throw Mistake("Metadata not found") }
        guard let key = root["participantId"]?.string, !key.isEmpty else {
            throw Mistake("ParticipantId not included in request")
        }
        guard let participant = try await archive.participant(key) else {
            throw Mistake("Unable to identify participant")
        }
        guard let study = studies.first(where: { $0.id == participant }) else {
            throw Mistake("AppToken not associated with study")
        }
        let activity = metadata["activityId"]?.string ?? ""
        let version = metadata["version"]?.string ?? ""
        var mistakes: [Mistake] = []
        if activity.isEmpty { mistakes.append(Mistake("ActivityId not included in request")) }
        if version.isEmpty { mistakes.append(Mistake("SurveyVersion not included in request")) }
        guard let data = root["data"], case .object = data else {
            return (.null, mistakes + [Mistake("Response not included in request")])
        }
        guard mistakes.isEmpty else { return (.null, mistakes) }
        let errors = parse(data, study, activity, version)
        if isStrict, !errors.isEmpty { return (.null, errors.map { Mistake($0) }) }
        try await archive.keep(
            run: body, of: key, activity: activity, version: version, errors: errors, at: now)
        return (.members(["success": .bool(true)]), [])
    }

    private func parse(_ data: JSONValue, _ study: MyStudiesStudy, _ activity: String, _ version: String) -> [String] {
        guard let design = study.design(activity, version) else {
            return ["Design of activity '\(activity)' in version '\(version)' not found"]
        }
        guard let results = data["results"]?.array else { return ["Results not found in response"] }
        return design.errors(in: results, list: activity)
    }

    private func study(_ id: String?) throws -> MyStudiesStudy {
        let id = Self.trimmed(id)
        guard !id.isEmpty else { throw Mistake("StudyId is required") }
        guard let study = studies.first(where: { $0.id == id }) else {
            throw Mistake("Study with StudyId '\(id)' does not exist", field: "studyId")
        }
        return study
    }

    private func check(_ token: String, of study: MyStudiesStudy) async throws {
        guard !token.isEmpty else {
            if study.tokens != nil { throw Mistake("Token is required") }
            return
        }
        if try await archive.isUsed(token) { throw Mistake("Token already in use") }
        guard MyStudiesToken.isValid(token) else { throw Mistake("Invalid token: '\(token)'", field: "token") }
        guard study.tokens?.contains(token) == true else { throw Mistake("Unknown token: '\(token)'") }
    }

    /// Without white space around it, in capitals.
    private static func trimmed(_ text: String?) -> String {
        var rest = Substring(text ?? "")
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return rest.uppercased()
    }
}

extension MyStudiesDesk.Mistake {
    /// The server's envelope around one or several mistakes.
    static func envelope(_ mistakes: [MyStudiesDesk.Mistake]) -> JSONValue {
        .members([
            "exception": .string(mistakes.map(\.message).joined(separator: "\n")), "success": .bool(false),
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
