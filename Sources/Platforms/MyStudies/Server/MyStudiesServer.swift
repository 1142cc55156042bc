// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// The servers of FDA MyStudies: enrolment at the Response server, the study from the metadata server
/// (`MyStudiesMetadata`). `StudyFinder` calls it to enrol, `UpdateService` for news. Blocks: call it on a
/// separate thread.
package struct MyStudiesServer: StudyServer {
    private let settings: MyStudiesSettings
    private let device: any PlatformDevice

    package init(_ settings: MyStudiesSettings, over device: any PlatformDevice) {
        self.settings = settings
        self.device = device
    }

    /// The study of a token, or of the id that was given. `variables` and `join` of the offer are called
    /// later, after the study was read; only `join` uses up the token.
    package func offer(_ request: JoinRequest) throws -> JoinOffer {
        let token = try MyStudiesOptions.token(request.arguments)
        let study = try request.arguments[MyStudiesOptions.study.name] ?? token.map { try self.study(of: $0) } ?? ""
        let metadata = MyStudiesMetadata(request.source, settings, over: device)
        let entry = try metadata.entry(of: study)
        try MyStudiesMetadata.refuseClosed(entry, study: study)
        let consent = Result { try metadata.consent(of: study) }
        if let given = request.consent { try consent.get()?.check(given) }
        let asked = try? consent.get()
        let bytes = StudyBundle.bytes(try metadata.files(of: study, entry: entry), options: settings.options)
        let sharing = request.consent?.sharing ?? "NA"
        var plan = EnrolmentPlan(
            postURL: settings.address(of: "processResponse"),
            variables: { loaded in
                let properties = try token.map { try validate($0, study: study) } ?? [:]
                return MyStudiesRows.values(
                    of: loaded.anchors?.server ?? [], properties: properties, server: try Zone.load(settings.zone))
            },
            join: {
                if request.consent == nil { try asked?.refuseWithoutConsent() }
                if let registration = settings.registration {
                    try MyStudiesAccount(registration, settings, over: device).check()
                }
                return try enroll(token, study: study, sharing: sharing)
            })
        // One that could not be asked for is asked for with the first news.
        if case .success(let consent) = consent { plan.consentVersion = consent?.version ?? "" }
        return JoinOffer(bytes: bytes, platform: .mystudies, plan: plan)
    }

    package var newsInterval: Duration? { settings.poll }

    /// Nil = there is none, because a study metadata server is known.
    package func reasonForNoNews(from source: String) -> String? {
        base(source) == nil
            ? "this study has no server to check for updates; [mystudies] metadata names one" : nil
    }

    /// The study metadata server of the table, else the address the study was enrolled from.
    private func base(_ source: String) -> String? { settings.metadata ?? (source.hasPrefix("http") ? source : nil) }

    /// Reports progress to the registration server; nil where the table has none.
    package func reporter() -> (any ProgressReporter)? {
        settings.registration.map { MyStudiesAccount($0, settings, over: device) }
    }

    /// A new version or status, new messages, and dates that the study's anchors need from the server. A part that
    /// fails is noted in `faults`, and the others are asked for all the same.
    package func news(since known: KnownStudy) -> ServerUpdate {
        var news = ServerUpdate()
        guard let base = base(known.source) else { return news }
        let metadata = MyStudiesMetadata(base, settings, over: device)
        func attempt(_ body: (inout ServerUpdate) throws -> Void) {
            do { try body(&news) } catch { news.faults.append("\(error)") }
        }
        attempt { try findUpdate(known, metadata, &$0) }
        attempt { $0.messages = try metadata.messages(of: known.study.studyID, except: known.messages) }
        attempt { try findValues(known, &$0) }
        return news
    }

    private func findUpdate(_ known: KnownStudy, _ metadata: MyStudiesMetadata, _ news: inout ServerUpdate) throws {
        let study = known.study.studyID
        let before = known.version ?? known.study.version ?? "1.0"
        guard let updates = try metadata.updates(of: study, since: before) else { return }
        if let status = updates.status, status != known.status ?? "Active" { news.status = status }
        let version = updates.version ?? before
        // Announced once for each version.
        let hasNewConsent = updates.hasNewConsent && version != before && version != known.refused
        findConsent(known, metadata, isNew: hasNewConsent, &news)
        if version == known.refused, version != before { return }
        guard version != before || updates.hasNews else {
            if known.refused != nil { news.version = .init(before, bytes: known.bytes) }
            return
        }
        // The options of the enrolment are kept: others would number runs differently.
        let options = StudyBundle.source(known.bytes)?.options ?? settings.options
        let entry = try metadata.entry(of: study)
        let list = try metadata.list(of: study)
        if let listed = MyStudiesListing.activities(list) {
            news.deleted = Set(known.study.tasks.map(\.key)).subtracting(listed)
        }
        let files = try metadata.files(of: study, entry: entry, list: list)
        news.version = .init(version, bytes: StudyBundle.bytes(files, options: options))
    }

    /// In place of a version: the study has another consent, and the server could not be asked which.
    private static let unknownConsent = "?"

    /// Asks for the study's consent if it is new, or not known. A failure is noted: the study is followed without it,
    /// and it is asked for again at the next look.
    private func findConsent(
        _ known: KnownStudy, _ metadata: MyStudiesMetadata, isNew: Bool, _ news: inout ServerUpdate
    ) {
        guard isNew || known.consent == nil || known.consent == Self.unknownConsent else { return }
        do {
            let consent = try metadata.consent(of: known.study.studyID)?.version ?? ""
            if consent != known.consent { news.consent = consent }
            news.hasNewConsent = isNew && (consent.isEmpty || consent != known.consent)
        } catch {
            news.faults.append("\(error)")
            if isNew, known.consent != Self.unknownConsent {
                (news.consent, news.hasNewConsent) = (Self.unknownConsent, true)
            }
        }
    }

    package func renew(_ consent: JoinRequest.Consent, of known: KnownStudy) throws {
        guard let base = base(known.source) else {
            throw PlatformServerError(reasonForNoNews(from: known.source) ?? "", at: known.source)
        }
        let study = known.study.studyID
        try MyStudiesMetadata(base, settings, over: device).consent(of: study)?.check(
            consent, isEnrolled: true, renews: known.hasConsented)
        guard let registration = settings.registration else { return }
        var account = MyStudiesAccount(registration, settings, over: device)
        try account.renew(consent, in: study, of: known.participant)
    }

    private func findValues(_ known: KnownStudy, _ news: inout ServerUpdate) throws {
        let zone = try Zone.load(settings.zone)
        for variable in known.study.anchors?.server ?? []
        where variable.refreshes || known.variables[variable.variable] == nil {
            guard let rows = try rows(variable, of: known.participant) else { continue }
            let values = rows.values(of: variable, known: known.variables, server: zone, device: known.zone)
            let changed = values.filter { known.variables[$0.key] != $0.value }
            if !changed.isEmpty { news.learned.append(variable.variable) }
            news.values.merge(changed) { $1 }
        }
    }

    // MARK: - Enrolment

    /// The study that a token belongs to. The token's letters are checked before anything is sent.
    package func study(of token: EnrolmentToken) throws -> String {
        let answer = try post("resolveEnrollmentToken", ["token": token.text])
        guard let study = answer["studyId"]?.text, !study.isEmpty else {
            throw PlatformServerError("the server knows the token but names no study")
        }
        return study
    }

    /// Checks whether the token may enrol, without using it up. Returns what is known of its
    /// participant beforehand, by property.
    package func validate(_ token: EnrolmentToken, study: String) throws -> [String: String] {
        let answer = try post("validateEnrollmentToken", ["studyId": study, "token": token.text])
        // The document puts it into `data`, the server beside it.
        let list = answer["preEnrollmentParticipantProperties"] ?? answer["data"]?["preEnrollmentParticipantProperties"]
        guard let entries = list?.array else { return [:] }
        return entries.prefix(1_000).reduce(into: [:]) { known, entry in
            if let id = entry["propertyId"]?.text, let value = entry["value"]?.text { known[id] = value }
        }
    }

    /// Enrols, and returns the key by which results name the participant. Never repeated here: a
    /// token can be used once.
    package func enroll(_ token: EnrolmentToken?, study: String, sharing: String) throws -> String {
        var parameters = ["studyId": study, "allowDataSharing": sharing]
        parameters["token"] = token?.text
        parameters["language"] = settings.language
        let answer = try post("enroll", parameters)
        guard let key = answer["data"]?["appToken"]?.text, !key.isEmpty else {
            throw PlatformServerError(
                "the server enrolled the participant but returned no key",
                remedy: "ask the study team before trying again")
        }
        return key
    }

    /// As iOS sends it: parameters in the query, an empty body.
    private func post(_ action: String, _ parameters: [String: String]) throws -> JSONNode {
        let query = parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\(PercentCode.encoded($0.value))" }
        let url = settings.address(of: action) + "?" + query.joined(separator: "&")
        let response = try device.send(WireRequest(method: "POST", url: url, headers: settings.headers, body: []))
        let answer = try? JSONNode(response.body)
        guard response.status == 200, let answer else {
            let reason = answer?["exception"]?.text ?? answer?["message"]?.text
            throw PlatformServerError(
                reason ?? "the server answered with status \(response.status)", at: settings.address(of: action),
                remedy: reason == "Token already in use" ? "ask the study's office for a new token" : nil)
        }
        return answer
    }

    /// Asks the Response server for the participant's rows with a variable; nil where there are none.
    private func rows(_ variable: ServerVariable, of participant: String) throws -> MyStudiesRows? {
        let parameters = [("participantId", participant), ("sql", MyStudiesRows.query(variable))]
        let query = parameters.map { "\($0.0)=\(PercentCode.encoded($0.1))" }.joined(separator: "&")
        let url = settings.address(of: "executeSQL") + "?" + query
        do {
            return MyStudiesRows(try device.get(url, headers: settings.headers))
        } catch let error as DownloadError where error.status == 400 || error.status == 404 {
            // A list without entries does not exist.
            return nil
        }
    }
}
