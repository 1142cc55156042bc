// SPDX-License-Identifier: Apache-2.0
import Times
import WebServer

/// Plays the services of FDA MyStudies below `/mystudies`: the study metadata server's calls by GET with its credentials, the
/// Response server's by POST only.
struct MyStudiesRoutes: Sendable {
    /// An application that the metadata server knows: its bundle and its secret, each for one platform.
    struct Application: Sendable, Hashable {
        let bundle: String
        let token: String
        /// `ios` or `android`: decides what is listed.
        let platform: String

        /// Reads `ios:BUNDLE:TOKEN`.
        init?(_ text: String) {
            let parts = text.split(separator: ":", maxSplits: 2).map(String.init)
            guard parts.count == 3, ["ios", "android"].contains(parts[0]) else { return nil }
            (platform, bundle, token) = (parts[0], parts[1], parts[2])
        }
    }

    let desk: MyStudiesDesk
    let applications: [Application]
    let faults: Faults
    let clock: any StudyClock

    static let bodyLimit = 4 * 1024 * 1024

    func routes(_ router: inout Router) {
        router.on("GET", "/mystudies/*rest", handler: faults.around(read))
        router.on("POST", "/mystudies/*rest", bodyLimit: Self.bodyLimit, handler: faults.around(act))
    }

    private func read(_ request: HTTPRequest) async throws -> HTTPResponse {
        let name = Self.last(request)
        if name.hasSuffix(".api") {
            throw HTTPFailure(405, "\(name) takes POST only", fields: ["Allow": "POST"])
        }
        if name == "ping" { return Self.json(.members(["message": .string("SUCCESS")])) }
        guard let given = request.fields["authorization"] else {
            throw HTTPFailure(400, "no credentials", fields: ["status": "102"])
        }
        guard let application = application(given) else {
            throw HTTPFailure(
                401, "no such application", fields: ["status": "103", "StatusMessage": "Invalid Authorization key"])
        }
        return try metadata(name, request, application)
    }

    private func metadata(_ name: String, _ request: HTTPRequest, _ application: Application) throws -> HTTPResponse {
        guard let id = request.queryItem("studyId") else { throw HTTPFailure(400, "studyId is missing") }
        guard let study = desk.studies.first(where: { $0.id == id.uppercased() }) else {
            throw HTTPFailure(404, "no such study")
        }
        if name == "activity" { return try activity(study, request) }
        guard let bytes = study.files[name] else { throw HTTPFailure(404, "there is no \(name)") }
        guard name == "activityList", application.platform == "android",
            let list = try? JSONReader.value(String(decoding: bytes, as: UTF8.self))
        else { return Self.json(bytes) }
        return Self.json(Self.forAndroid(list))
    }

    private func activity(_ study: MyStudiesStudy, _ request: HTTPRequest) throws -> HTTPResponse {
        guard let activity = request.queryItem("activityId"), let version = request.queryItem("activityVersion") else {
            throw HTTPFailure(400, "activityId and activityVersion are needed")
        }
        let file = study.files.values.first { bytes in
            let root = try? JSONReader.value(String(decoding: bytes, as: UTF8.self), depthLimit: 64)
            let metadata = root?["activity"]?["metadata"]
            return metadata?["activityId"]?.string == activity && metadata?["version"]?.string == version
        }
        guard let file else { throw HTTPFailure(404, "no such activity in this version") }
        return Self.json(file)
    }

    /// Of active tasks an android application is shown fetal kick counters only.
    static func forAndroid(_ list: JSONValue) -> JSONValue {
        guard case .object(let members) = list else { return list }
        return .object(
            members.map { member in
                guard member.name == "activities", let activities = member.value.array else { return member }
                let shown = activities.filter { activity in
                    ["", "fetalKickCounter"].contains(activity["taskSubType"]?.string ?? "")
                }
                return JSONValue.Member(name: member.name, value: .array(shown))
            })
    }

    private func act(_ request: HTTPRequest) async throws -> HTTPResponse {
        let name = Self.last(request)
        let action = ["response-", "mobileappstudy-"].lazy.compactMap { prefix in
            name.hasPrefix(prefix) && name.hasSuffix(".api") ? String(name.dropFirst(prefix.count).dropLast(4)) : nil
        }.first
        let body = try await request.body.collect(upTo: Self.bodyLimit)
        do {
            let now = clock.now
            if action == "processResponse" {
                let (answer, mistakes) = try await desk.process(body, at: now)
                return mistakes.isEmpty ? Self.json(answer) : Self.json(MyStudiesDesk.Mistake.envelope(mistakes), 400)
            }
            let parameters = Self.parameters(request, body)
            switch action {
            case "enroll": return Self.json(try await desk.enroll(parameters, at: now))
            case "validateEnrollmentToken": return Self.json(try await desk.validate(parameters))
            case "resolveEnrollmentToken": return Self.json(try desk.resolve(parameters))
            case "withdrawFromStudy": return Self.json(try await desk.withdraw(parameters, at: now))
            default: throw HTTPFailure(404, "there is no \(name)")
            }
        } catch let mistake as MyStudiesDesk.Mistake {
            guard mistake.status == 400 else {
                return Self.json(
                    .members(["success": .bool(false), "message": .string(mistake.message)]), mistake.status)
            }
            return Self.json(MyStudiesDesk.Mistake.envelope([mistake]), 400)
        }
    }

    /// iOS sends parameters in the query of a POST with an empty body; others in a form or as JSON.
    private static func parameters(_ request: HTTPRequest, _ body: [UInt8]) -> [String: String] {
        let names = ["studyId", "token", "allowDataSharing", "language", "participantId", "delete"]
        var parameters: [String: String] = [:]
        if let fields = try? Form.fields(body, contentType: request.fields["content-type"]) {
            for field in fields { parameters[field.name] = field.value }
        }
        if let root = try? JSONReader.value(String(decoding: body, as: UTF8.self)) {
            for name in names {
                guard let value = root[name] else { continue }
                parameters[name] = value.string ?? value.text
            }
        }
        for name in names { if let value = request.queryItem(name) { parameters[name] = value } }
        return parameters
    }

    private func application(_ header: String) -> Application? {
        guard header.hasPrefix("Basic "), let bytes = Base64.decoded(header.dropFirst(6)) else { return nil }
        let given = String(decoding: bytes, as: UTF8.self)
        return applications.first { $0.bundle + ":" + $0.token == given }
    }

    private static func last(_ request: HTTPRequest) -> String {
        String((request.parameters["rest"] ?? "").split(separator: "/").last ?? "")
    }

    private static func json(_ value: JSONValue, _ status: Int = 200) -> HTTPResponse {
        .text(value.text, status: status, type: "application/json")
    }

    private static func json(_ bytes: [UInt8]) -> HTTPResponse {
        HTTPResponse(200, fields: ["Content-Type": "application/json"], content: .bytes(bytes))
    }
}
