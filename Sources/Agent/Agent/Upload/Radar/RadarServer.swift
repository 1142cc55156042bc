// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Synchronization
import SystemKit

/// A RADAR-base platform as one destination sees it: ManagementPortal, which knows the participant and gives
/// tokens, and the schema registry. `open` comes first; all calls are on the thread of the destination's
/// `DeliveryLane`. Tokens are written to the disk before they are used: a code can be exchanged only once.
/// A source is the device as ManagementPortal lists it; a pairing is what a code was exchanged for.
///
///     code ──once──▶ refresh token, kept ──▶ access token ──▶ source registered ──▶ access token that names it
///                          ▲──────────── renewed, kept before use ───┘
final class RadarServer: Sendable {
    struct Settings: Sendable {
        /// Scheme, host and port.
        var url: String
        /// The file of the enrolment code, which only its owner can read, or a systemd credential.
        var codeFile: String
        var clientID: String
        var clientSecret: String?
        /// Producer, model and version of the source type that the project has for this device; not needed
        /// with `source`.
        var producer: String?
        var model: String?
        var catalogVersion: String?
        /// The id of a source that was made by hand.
        var source: String?
        var pairingsFile: String
        var limits: HTTPLimits
    }

    private struct State {
        var pairings = RadarPairings()
        var topics: [String: (topic: RadarTopic, at: Instant)] = [:]
    }

    let settings: Settings
    private let state = Mutex(State())

    init(_ settings: Settings) { self.settings = settings }

    /// Reads the pairings from their file, and forgets fetched schemas.
    func open() throws {
        let pairings = try RadarPairings(in: settings.pairingsFile)
        state.withLock { $0 = State(pairings: pairings) }
    }

    // MARK: - Participants

    /// Tokens and source with which to send an enrolment's data, exchanging the code where needed. Each code
    /// belongs to one enrolment of the device, so that no data go under another participant's name.
    func pairing(of enrolment: String, at now: Instant, by client: HTTPClient) throws -> RadarPairing {
        let known = state.withLock { $0.pairings }
        if let own = known.pairing(of: enrolment) {
            do { return try makeReady(own, at: now, by: client) } catch let stop as RadarStop where stop.isPairingOver {
                return try pairAgain(own, stop, at: now, by: client)
            }
        }
        let text = try codeText()
        if let used = known.pairing(by: text.digest), !used.enrolments.isEmpty {
            throw RadarStop.blocked(
                "\(settings.codeFile) still has the code of an earlier enrolment",
                "write the present participant's code into it")
        }
        var pairing = try known.pairing(by: text.digest) ?? exchange(text, at: now, by: client)
        pairing.enrolments.append(enrolment)
        try keep(pairing)
        return try makeReady(pairing, at: now, by: client)
    }

    /// After the refresh token of `old` was refused: pairs by a new code where somebody wrote one into the
    /// file, which has to be of the same participant.
    private func pairAgain(
        _ old: RadarPairing, _ stop: RadarStop, at now: Instant, by client: HTTPClient
    ) throws -> RadarPairing {
        guard let text = try? codeText(), text.digest != old.code else { throw stop }
        let known = state.withLock { $0.pairings.pairing(by: text.digest) }
        guard known?.enrolments.isEmpty ?? true else { throw stop }
        var pairing = try makeReady(known ?? exchange(text, at: now, by: client), at: now, by: client)
        guard pairing.subject == old.subject else {
            throw RadarStop.blocked(
                "\(settings.codeFile) is of \(pairing.subject ?? "another participant"), and the data are of "
                    + "\(old.subject ?? "another one")", "write a code of \(old.subject ?? "that participant") into it")
        }
        pairing.enrolments = old.enrolments
        try keep(pairing)
        return pairing
    }

    private func codeText() throws -> (text: String, digest: String) {
        let text: String
        do { text = try BoundedFile.text(SecretFile.path(settings.codeFile)).trimmed } catch {
            throw RadarStop(step: .blocked(Explanation(error).within("the enrolment code"), wait: .zero))
        }
        return (text, try Digest(ofText: text).description)
    }

    private func keep(_ pairing: RadarPairing) throws {
        let all = state.withLock { state in
            state.pairings.keep(pairing)
            return state.pairings
        }
        try all.write(to: settings.pairingsFile)
    }

    /// The pairing that a code gives. A meta-token is used up by one request: the refresh token that it
    /// gives is on the disk before anything else happens.
    private func exchange(
        _ text: (text: String, digest: String), at now: Instant, by client: HTTPClient
    ) throws -> RadarPairing {
        let code: RadarCode
        do throws(RadarCodeError) { code = try RadarCode(parsing: text.text) } catch {
            throw RadarStop(step: .blocked(error.explanation, wait: .zero))
        }
        let own = settings.url.firstRange(of: "://").map { settings.url[$0.upperBound...].lowercased() }
        if let host = code.host, host != own {
            throw RadarStop.blocked("the enrolment code is of \(host)", "set url to that server, or write another code")
        }
        let pairing =
            switch code.form {
            case .refreshToken(let token): RadarPairing(code: text.digest, isHydra: false, refresh: token, at: now)
            case .portal(let token): RadarPairing(code: text.digest, isHydra: true, refresh: token, at: now)
            case .metaToken(let token):
                RadarPairing(code: text.digest, isHydra: false, refresh: try redeem(token, by: client), at: now)
            }
        try keep(pairing)
        return pairing
    }

    private func redeem(_ token: String, by client: HTTPClient) throws -> String {
        let response = try ask("GET", "/managementportal/api/meta-token/\(token)", by: client)
        switch response.status {
        case 200:
            guard let refresh = response.json?["refreshToken"]?.text, !refresh.isEmpty else {
                throw RadarStop(step: refusal(response, "the enrolment code"))
            }
            return refresh
        case 404, 410:
            throw RadarStop.blocked(
                response.status == 410
                    ? "the enrolment code was used before, or is too old" : "ManagementPortal does not know the code",
                "make a new one there (Pair app), and write it into \(settings.codeFile)")
        default: throw RadarStop(step: refusal(response, "the enrolment code"))
        }
    }

    // MARK: - Tokens

    /// The pairing with a valid access token and a source.
    private func makeReady(_ pairing: RadarPairing, at now: Instant, by client: HTTPClient) throws -> RadarPairing {
        var pairing = pairing
        if !pairing.isFresh(at: now) || pairing.isSourceNew {
            pairing = try renewToken(of: pairing, at: now, by: client)
        }
        if let source = settings.source {
            pairing.source = source
        } else if pairing.source == nil {
            pairing = try findOrRegisterSource(for: pairing, at: now, by: client)
        }
        return pairing
    }

    /// The answer to a request, sent again with a new token where the first was refused, and after a 403
    /// once it is known that the participant and the source are there.
    func authorized(
        _ pairing: inout RadarPairing, at now: Instant, by client: HTTPClient,
        _ send: (RadarPairing) throws -> HTTPResponse
    ) throws -> HTTPResponse {
        var (hasRenewed, hasAsked) = (false, false)
        while true {
            let response = try send(pairing)
            switch response.status {
            case 401 where !hasRenewed && ForeignAnswer(response) == nil:
                hasRenewed = true
                pairing = try afterUnauthorized(pairing, at: now, by: client)
            case 403 where !hasAsked && ForeignAnswer(response) == nil:
                hasAsked = true
                pairing = try afterForbidden(pairing, at: now, by: client)
            default: return response
            }
        }
    }

    /// After a 401 of the gateway: a new access token, or a new pairing.
    private func afterUnauthorized(_ pairing: RadarPairing, at now: Instant, by client: HTTPClient) throws
        -> RadarPairing
    {
        do { return try renewToken(of: pairing, at: now, by: client) } catch let stop as RadarStop
            where stop.isPairingOver
        {
            var stale = pairing
            stale.access = nil
            try keep(stale)
            return try pairAgain(stale, stop, at: now, by: client)
        }
    }

    /// With a new access token; the new refresh token is on the disk before either is used.
    private func renewToken(of pairing: RadarPairing, at now: Instant, by client: HTTPClient) throws -> RadarPairing {
        let secret = try settings.clientSecret.map(SecretFile.read) ?? ""
        let basic = Base64.encoded(Array("\(settings.clientID):\(secret)".utf8))
        let form = "grant_type=refresh_token&refresh_token=\(PercentCode.encoded(pairing.refresh))"
        let response = try ask(
            "POST", pairing.isHydra ? "/hydra/oauth2/token" : "/managementportal/oauth/token",
            [
                .init(name: "Authorization", value: "Basic \(basic)"),
                .init(name: "Content-Type", value: "application/x-www-form-urlencoded"),
            ], body: .bytes(Array(form.utf8)), by: client)
        if response.status == 200, let token = RadarToken(response.body) {
            var renewed = pairing
            renewed.take(token, at: now)
            try keep(renewed)
            return renewed
        }
        guard [400, 401].contains(response.status), ForeignAnswer(response) == nil else {
            throw RadarStop(step: refusal(response, "the request for a token"))
        }
        let node = response.json
        let error = node?["error"]?.text ?? ""
        if ["invalid_grant", "invalid_token"].contains(error) { throw RadarStop.pairingOver(pairing.end) }
        // ManagementPortal's answer for a participant who was deleted there, or whose study was ended.
        if error == "unauthorized", node?["error_description"]?.text?.hasPrefix("User ") == true {
            throw RadarStop.withdrawn(pairing.subject ?? "of the code")
        }
        throw RadarStop.blocked(
            "the OAuth client '\(settings.clientID)' was refused: \(response.words)", "set client_id and client_secret")
    }

    // MARK: - Source

    /// The pairing with a source of this device's type: an existing one, else a newly registered one.
    private func findOrRegisterSource(for pairing: RadarPairing, at now: Instant, by client: HTTPClient) throws
        -> RadarPairing
    {
        var pairing = pairing
        let subject = try fetchSubject(of: pairing, by: client)
        pairing.project = subject["project"]?["projectName"]?.text
        let types = subject["project"]?["sourceTypes"]?.elements ?? []
        guard let type = types.first(where: isOurs), let id = type["id"]?.value else {
            throw RadarStop.blocked(
                "the project has no source type \(settings.typeName)",
                "add it to the project in ManagementPortal, or set source_producer, source_model and source_version")
        }
        let there = source(in: subject, ofType: id)
        let source = try there ?? register(type: id, pairing, by: client)
        pairing.source = source
        pairing.isSourceNew = true
        try keep(pairing)
        return try renewToken(of: pairing, at: now, by: client)
    }

    private func isOurs(_ type: JSONNode) -> Bool {
        type["producer"]?.text == settings.producer && type["model"]?.text == settings.model
            && (settings.catalogVersion == nil || type["catalogVersion"]?.text == settings.catalogVersion)
    }

    private func source(in subject: JSONNode, ofType id: JSONText) -> String? {
        subject["sources"]?.elements.last {
            $0["sourceTypeId"]?.value == id && $0["assigned"]?.value != .boolean(false)
        }?[
            "sourceId"]?.text
    }

    /// 201 and 200 mean the same; a participant has one source of a type (409).
    private func register(type: JSONText, _ pairing: RadarPairing, by client: HTTPClient) throws -> String {
        let body = JSONText.object([.init("sourceTypeId", type)]).text
        let response = try ask(
            "POST", "/managementportal/api/subjects/\(PercentCode.encoded(pairing.subject ?? ""))/sources",
            [.init(name: "Content-Type", value: "application/json")], body: .bytes(Array(body.utf8)),
            token: pairing.access, by: client)
        switch response.status {
        case 200, 201:
            if let id = response.json?["sourceId"]?.text { return id }
        case 409:
            if let id = source(in: try fetchSubject(of: pairing, by: client), ofType: type) { return id }
        case 400, 403:
            throw RadarStop.blocked(
                "ManagementPortal does not let the device register a source of type \(settings.typeName): \(response.words)",
                "let the type be registered dynamically there, or make a source by hand and set source_id")
        default: break
        }
        throw RadarStop(step: refusal(response, "registering a source"))
    }

    private func fetchSubject(of pairing: RadarPairing, by client: HTTPClient) throws -> JSONNode {
        guard let login = pairing.subject else {
            throw RadarStop.blocked("the token names no participant", "pair by another QR code")
        }
        let response = try ask(
            "GET", "/managementportal/api/subjects/\(PercentCode.encoded(login))", token: pairing.access, by: client)
        if [401, 403].contains(response.status), ForeignAnswer(response) == nil { throw RadarStop.withdrawn(login) }
        guard response.status == 200, let node = response.json else {
            throw RadarStop(step: refusal(response, "asking for the participant"))
        }
        if let status = node["status"]?.text, status != "ACTIVATED" { throw RadarStop.withdrawn(login) }
        return node
    }

    /// After the gateway said 403: the participant was set inactive, or the source is gone, or the
    /// token is older than either.
    private func afterForbidden(_ pairing: RadarPairing, at now: Instant, by client: HTTPClient) throws -> RadarPairing
    {
        let subject = try fetchSubject(of: pairing, by: client)
        let ids = subject["sources"]?.elements.compactMap { $0["sourceId"]?.text } ?? []
        if settings.source == nil, let source = pairing.source, !ids.contains(source) {
            var unregistered = pairing
            unregistered.source = nil
            return try findOrRegisterSource(for: unregistered, at: now, by: client)
        }
        return try afterUnauthorized(pairing, at: now, by: client)
    }

    /// The pairing with the participant's project, which is fetched here where `source` was configured.
    func withProject(_ pairing: RadarPairing, by client: HTTPClient) throws -> RadarPairing {
        guard pairing.project == nil else { return pairing }
        var pairing = pairing
        pairing.project = try fetchSubject(of: pairing, by: client)["project"]?["projectName"]?.text
        try keep(pairing)
        return pairing
    }

    // MARK: - Schemas

    /// A topic's newest schemas, at most a day old; `fetching` asks again.
    func topic(_ name: String, fetching: Bool = false, at now: Instant, by client: HTTPClient) throws -> RadarTopic {
        if !fetching, let known = state.withLock({ $0.topics[name] }), (now - known.at).magnitude < .seconds(86_400) {
            return known.topic
        }
        let topic = RadarTopic(
            name: name, key: try schema(of: "\(name)-key", topic: name, by: client),
            value: try schema(of: "\(name)-value", topic: name, by: client))
        state.withLock { $0.topics[name] = (topic, now) }
        return topic
    }

    private func schema(
        of subject: String, topic: String, by client: HTTPClient
    ) throws -> RadarTopic.Registered {
        let response = try ask("GET", "/schema/subjects/\(PercentCode.encoded(subject))/versions/latest", by: client)
        if response.status == 404, ForeignAnswer(response) == nil { throw RadarStop.noTopic(topic) }
        guard response.status == 200, ForeignAnswer(response) == nil else {
            throw RadarStop(step: refusal(response, "asking for the schema of \(subject)"))
        }
        return try RadarTopic.Registered(response.body)
    }

    // MARK: - Until when it can send

    /// A warning from 14 days before the refresh token ends, after which nothing can be sent; nil before that.
    func warning(at now: Instant) -> Explanation? {
        guard let pairing = state.withLock({ $0.pairings.all.last }), !pairing.refresh.isEmpty,
            pairing.end < now.seconds + 14 * 86_400
        else {
            return nil
        }
        return Explanation(
            cause: "the pairing ends on \(Self.day(pairing.end)) unless the device sends before",
            remedy:
                "bring it to a network, or make a new code in ManagementPortal and write it into \(settings.codeFile)")
    }

    /// A sentence for `studyd check`: for which participant it sends, and until when it can.
    func pairingSummary() throws -> String {
        guard let pairing = state.withLock({ $0.pairings.all.last }), !pairing.refresh.isEmpty else {
            let text = try codeText()
            let code = try RadarCode(parsing: text.text)
            return "not paired yet, by the \(code.words) in \(settings.codeFile)"
        }
        let who = [pairing.subject, pairing.project, pairing.source].compactMap(\.self).joined(separator: ", ")
        return "paired until \(Self.day(pairing.end))\(who.isEmpty ? "" : " as \(who)")"
    }

    static func day(_ seconds: Int64) -> LocalDate {
        LocalDateTime(Instant(seconds: seconds), offset: 0).date
    }

    // MARK: - Requests

    /// Sends one request, without a token unless one is given. `base`: an address other than the platform's.
    func ask(
        _ method: String, _ path: String, _ headers: [WireRequest.Header] = [], body: HTTPRequest.Body = .none,
        at base: String? = nil, token: String? = nil, by client: HTTPClient
    ) throws -> HTTPResponse {
        client.credentials.token = token
        defer { client.credentials.token = nil }
        var limits = settings.limits
        // The answer about a participant of a project with many source types is long.
        limits.keptResponse = limits.maximumResponse
        return try client.send(
            HTTPRequest(
                method: method, url: (base ?? settings.url) + path,
                headers: headers + [.init(name: "Accept", value: "application/json")], body: body,
                limits: limits))
    }

    /// The step for an answer that has no case of its own: the item is tried again.
    func refusal(_ response: HTTPResponse, _ step: String) -> DeliveryStep {
        if response.retryAfter == nil, let foreign = ForeignAnswer(response) { return .foreign(foreign, to: step) }
        return .retry("\(step) was answered \(response.words)", after: response)
    }
}

extension RadarServer.Settings {
    var typeName: String {
        [producer, model, catalogVersion].compactMap(\.self).joined(separator: "/")
    }
}

extension HTTPResponse {
    /// `403 permission_mismatch: …`, as radar-jersey writes errors; else the answer's beginning.
    var words: String {
        let node = json
        let said = [node?["error"]?.text, (node?["error_description"] ?? node?["message"])?.text].compactMap(\.self)
        let text = said.isEmpty ? String(decoding: body.prefix(120), as: UTF8.self) : said.joined(separator: ": ")
        return "\(status) \(text.filter { !$0.isNewline })".trimmed
    }
}
