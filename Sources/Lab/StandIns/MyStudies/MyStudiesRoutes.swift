// SPDX-License-Identifier: Apache-2.0
import Base
import Lab
import SystemKit

/// Plays the services of FDA MyStudies below `/mystudies`: the study metadata server's calls by GET with its
/// credentials, the Response server's (`response-…` and `mobileappstudy-…`) and the registration server's
/// (`fdahpuserregws-…`) by their methods. `ChosenStandIns` opens it with `--mystudies`.
struct MyStudiesRoutes: StandIn {
    private let api: MyStudiesResponseServer
    private let archive: Archive
    private let registration: MyStudiesRegistrationServer
    private let applications: [StandInApplication]
    /// The organisation of the applications, asked for where the real servers do; nil = not asked
    /// for.
    private let organisation: String?
    private let faults: Faults
    private let clock: any StudyClock
    /// Notes the body of a request with answers that were taken, by which a manifest's line of it counts as
    /// arrived.
    private let notePosted: @Sendable ([UInt8]) async throws -> Void

    /// Nil where no study is to be served.
    init?(_ options: ChosenStandIns, _ lab: StandInParts) throws {
        guard !options.mystudies.isEmpty else { return nil }
        let store = try MyStudiesStore(.file(lab.directory + "/mystudies.sqlite"))
        api = MyStudiesResponseServer(
            repository: try MyStudiesRepository(options.mystudies, report: lab.report, keep: lab.keepStudy),
            store: store, isStrict: options.isStrict, patience: options.patience, newID: lab.newID,
            quota: lab.quota, isRevoked: lab.isRevoked)
        registration = MyStudiesRegistrationServer(
            repository: api.repository, store: store, file: options.accounts, lifetime: options.sessionLifetime,
            organisation: options.organisation, newID: lab.newID)
        (applications, organisation) = (options.applications, options.organisation)
        (faults, clock, archive, notePosted) = (lab.faults, lab.clock, lab.archive, lab.notePosted)
    }

    func sections(address: String, now: Instant) async throws -> [HTML] {
        try await MyStudiesCard.all(api, address: address, now: now)
    }

    var links: HTML {
        """
         · MyStudies: <a href="/api/mystudies/participants">participants</a> <a href="/api/mystudies/runs">runs</a>
        <a href="/api/mystudies/states">states</a>
        """
    }

    private static let bodyLimit = 4 * 1024 * 1024

    func addRoutes(to router: inout Router, _ guarded: Guarded) {
        for method in ["GET", "POST"] {
            router.on(method, "/mystudies/*rest", bodyLimit: Self.bodyLimit, handler: faults.around(answer))
        }
        router.on("GET", "/api/mystudies/:what", handler: guarded(listForLab))
    }

    /// For the lab: `participants`, `runs` and `states`.
    private func listForLab(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await api.processWaitingRuns(at: clock.now)
        return switch request.parameters["what"] {
        case "runs": Self.json(.array(try await api.store.runs().map(Self.json)))
        case "participants": Self.json(.array(try await api.people().map(Self.json)))
        case "states": Self.json(.array(try await api.store.userStates()))
        default: throw HTTPFailure(404, "use participants, runs or states")
        }
    }

    private static func json(_ run: MyStudiesRun) -> JSONValue {
        .members([
            "study": .string(run.study), "activity": .string(run.activity), "version": .string(run.version),
            "received": .int(run.received.milliseconds),
            "status": .string(MyStudiesDesign.capitalised("\(run.status)")),
            "errors": .array(run.errors.map(JSONValue.string)), "body": run.root, "participant": .string(run.short),
        ])
    }

    private static func json(_ person: MyStudiesPerson) -> JSONValue {
        .members([
            "study": .string(person.study), "participant": .string(person.short), "sharing": .string(person.sharing),
            "enrolled": .string(person.enrolled.rfc3339()), "withdrawn": .text(person.withdrawn?.rfc3339()),
            "withdrawnByStaff": .boolean(person.isWithdrawnByStaff),
            "runs": .int(person.runs), "pending": .int(person.pending), "processed": .int(person.processed),
            "errors": .int(person.failed), "latest": .text(person.latest?.rfc3339()),
        ])
    }

    private func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
        let name = Self.last(request)
        guard name.lowercased().hasSuffix(".api") else { return try await metadata(name, request) }
        // The real server checks a run some time after it came.
        try await api.processWaitingRuns(at: clock.now)
        let words = name.dropLast(4).split(separator: "-", maxSplits: 1).map { $0.lowercased() }
        guard words.count == 2 else { throw HTTPFailure(404, "there is no \(name)") }
        switch words[0] {
        case "response", "mobileappstudy": return try await act(words[1], request)
        case "fdahpuserregws": return try await register(words[1], request)
        default: throw HTTPFailure(404, "there is no \(name)")
        }
    }

    // MARK: The metadata server

    private func metadata(_ name: String, _ request: HTTPRequest) async throws -> HTTPResponse {
        guard request.method == "GET" else { throw HTTPFailure(405, "\(name) takes GET", fields: ["Allow": "GET"]) }
        if name == "ping" { return .text("It Works!", type: "application/json;charset=utf-8") }
        let platform = try platform(request)
        let server = MyStudiesMetadataServer(
            studies: await api.repository.studies(), platform: platform, consents: await api.repository.consents,
            organisation: organisation)
        do {
            return Self.json(try server.answer(name, request))
        } catch let refusal as MyStudiesRefusal {
            return refusal.response
        }
    }

    /// The platform of the application that asks: its bundle and its token must both be known, and for the same
    /// platform, but need not be of one application.
    private func platform(_ request: HTTPRequest) throws -> String {
        guard let given = request.fields["authorization"] else {
            throw HTTPFailure(
                400, "no credentials",
                fields: ["status": "102", "title": "INVALID_INPUT", "StatusMessage": "Authorization header is missing"])
        }
        guard given.hasPrefix("Basic "), let bytes = Base64.decoded(given.dropFirst(6)),
            let platform = platform(of: String(decoding: bytes, as: UTF8.self))
        else {
            throw HTTPFailure(
                401, "no such application",
                fields: ["status": "103", "title": "UNAUTHORIZED", "StatusMessage": "Invalid Authorization key"])
        }
        return platform
    }

    private func platform(of pair: String) -> String? {
        let parts = pair.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { return nil }
        let platforms = Set(applications.filter { $0.bundle == parts[0] }.map(\.platform))
        return applications.first { $0.token == parts[1] && platforms.contains($0.platform) }?.platform
    }

    // MARK: The Response server

    private func act(_ action: String, _ request: HTTPRequest) async throws -> HTTPResponse {
        let isReading = action == "executesql"
        guard request.method == "POST" || (isReading && request.method == "GET") else {
            throw HTTPFailure(
                405, "You must use the POST method when calling this action.",
                fields: ["Allow": isReading ? "GET, POST" : "POST"])
        }
        let body = try await request.body.collect(upTo: Self.bodyLimit)
        do {
            return Self.json(try await answer(action, request, body))
        } catch let mistake as MyStudiesResponseServer.Mistake {
            guard mistake.status == 400 else {
                return Self.json(
                    .members(["success": .boolean(false), "message": .text(mistake.messages.first)]), mistake.status)
            }
            // A run that was not taken is noted for the page.
            if action == "processresponse" {
                try await archive.refuse(
                    mistake.messages, path: "MyStudies processResponse", user: nil, at: clock.now)
            }
            return Self.json(mistake.envelope, 400)
        }
    }

    private func answer(_ action: String, _ request: HTTPRequest, _ body: [UInt8]) async throws -> JSONValue {
        let now = clock.now
        let parameters = Self.parameters(request)
        return switch action {
        case "processresponse": try await process(body, at: now)
        case "enroll": try await api.enroll(parameters, at: now)
        case "validateenrollmenttoken": try await api.validate(parameters)
        case "resolveenrollmenttoken": try await api.resolve(parameters)
        case "withdrawfromstudy": try await api.withdraw(parameters, at: now)
        case "executesql": try await api.executeSQL(parameters)
        default: throw HTTPFailure(404, "there is no \(action)")
        }
    }

    private func process(_ body: [UInt8], at now: Instant) async throws -> JSONValue {
        let answer = try await api.process(body, at: now)
        try await notePosted(body)
        return answer
    }

    /// In the query, where iOS and studyd send them.
    private static func parameters(_ request: HTTPRequest) -> [String: String] {
        ["studyId", "token", "allowDataSharing", "language", "participantId", "delete", "sql"].reduce(into: [:]) {
            $0[$1] = request.queryItem($1)
        }
    }

    // MARK: The registration server

    private func register(_ action: String, _ request: HTTPRequest) async throws -> HTTPResponse {
        let method = action == "studystate" ? "GET" : "POST"
        guard request.method == method else {
            throw HTTPFailure(
                405, "You must use the \(method) method when calling this action.", fields: ["Allow": method])
        }
        let body = try await request.body.collect(upTo: Self.bodyLimit)
        let root = try? JSONReader.value(String(decoding: body, as: UTF8.self))
        if action.hasPrefix("update"), let user = request.fields["userId"] {
            // States are small: 16 MiB are enough for an account.
            try api.quota.check(
                Int64(body.count), beside: try await api.store.stateBytes(of: user), of: "account",
                min(api.quota.perDevice, 16 << 20))
        }
        let call = MyStudiesRegistrationServer.Call(fields: request.fields, body: root ?? .null)
        do { return Self.json(try await answer(action, call)) } catch let refusal as MyStudiesRefusal {
            return refusal.response
        }
    }

    private func answer(_ action: String, _ call: MyStudiesRegistrationServer.Call) async throws -> JSONValue {
        let now = clock.now
        return switch action {
        case "login": try await registration.login(call, at: now)
        case "updatestudystate": try await registration.updateStudies(call, at: now)
        case "studystate": try await registration.studies(call, at: now)
        case "updateactivitystate": try await registration.updateActivities(call, at: now)
        case "updateeligibilityconsentstatus": try await registration.updateConsent(call, at: now)
        default: throw HTTPFailure(404, "there is no \(action)")
        }
    }

    private static func last(_ request: HTTPRequest) -> String {
        String((request.parameters["rest"] ?? "").split(separator: "/").last ?? "")
    }

    private static func json(_ value: JSONValue, _ status: Int = 200) -> HTTPResponse {
        .text(value.text, status: status, type: "application/json")
    }
}
