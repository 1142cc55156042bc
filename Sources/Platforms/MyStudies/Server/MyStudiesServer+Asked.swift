// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// What the agent asks of the servers of FDA MyStudies.
extension MyStudiesServer: StudyServer {
    /// The study of a token, or of the id that was given.
    package func offer(_ request: JoinRequest) throws -> JoinOffer {
        let token = try MyStudiesOptions.token(request.arguments)
        let source = request.source
        let study = try request.arguments[MyStudiesOptions.study.name] ?? token.map { try self.study(of: $0) } ?? ""
        let entry = try entry(of: study, at: source)
        try refuseClosed(entry, study: study)
        try refuseOutdated(request.consent, study: study, at: source)
        let bytes = StudyBundle.bytes(try files(of: study, at: source, entry: entry), options: settings.options)
        let sharing = request.consent?.sharing ?? "NA"
        return JoinOffer(
            bytes: bytes, platform: .mystudies,
            terms: EnrolmentPlan(
                postURL: settings.address(of: "processResponse"),
                variables: { loaded in
                    let properties = try token.map { try validate($0, study: study) } ?? [:]
                    return MyStudiesRows.values(
                        of: loaded.anchors?.server ?? [], properties: properties, server: try Zone.load(settings.zone))
                }, join: { try enroll(token, study: study, sharing: sharing) }))
    }

    package var poll: Duration? { settings.poll }

    /// Somebody is asked where the study metadata server is known.
    package func silence(about source: String) -> String? {
        base(source) == nil
            ? "this study has no server to check for updates; [mystudies] metadata names one" : nil
    }

    /// The study metadata server of the table, else the address the study was enrolled from.
    private func base(_ source: String) -> String? { settings.metadata ?? (source.hasPrefix("http") ? source : nil) }

    /// The registration server's, where the table has one.
    package func reporter() -> (any ProgressReporter)? {
        settings.registration.map { MyStudiesAccount($0, settings, over: device) }
    }

    /// Version and status, messages, and dates that were asked for and are not known.
    package func news(since known: KnownStudy) -> ServerUpdate {
        var news = ServerUpdate()
        guard let base = base(known.source) else { return news }
        func attempt(_ body: (inout ServerUpdate) throws -> Void) {
            do { try body(&news) } catch { news.faults.append("\(error)") }
        }
        attempt { try findUpdate(known, base, &$0) }
        attempt { $0.messages = try messages(of: known.study.studyID, at: base, except: known.messages) }
        attempt { try findValues(known, &$0) }
        return news
    }

    private func findUpdate(_ known: KnownStudy, _ base: String, _ news: inout ServerUpdate) throws {
        let study = known.study.studyID
        let before = known.version ?? known.study.version ?? "1.0"
        guard let updates = try updates(of: study, since: before, at: base) else { return }
        if let status = updates.status, status != known.status ?? "Active" { news.status = status }
        let version = updates.version ?? before
        if version == known.refused { return }
        // Told once for each version.
        news.hasNewConsent = updates.hasNewConsent && version != before
        guard version != before || updates.hasNews else { return }
        // As at the enrolment: another choice would number runs anew.
        let options = StudyBundle.source(known.bytes)?.options ?? settings.options
        let entry = try entry(of: study, at: base)
        let list = try list(of: study, at: base)
        if let listed = MyStudiesListing.activities(list) {
            news.deleted = Set(known.study.tasks.map(\.key)).subtracting(listed)
        }
        let files = try files(of: study, at: base, entry: entry, list: list)
        news.version = .init(version, bytes: StudyBundle.bytes(files, options: options))
    }

    private func findValues(_ known: KnownStudy, _ news: inout ServerUpdate) throws {
        let zone = try Zone.load(settings.zone)
        for variable in known.study.anchors?.server ?? []
        where variable.refreshes || known.variables[variable.variable] == nil {
            guard let rows = try row(variable, of: known.participant) else { continue }
            let values = rows.values(of: variable, known: known.variables, server: zone, device: known.zone)
            news.values.merge(values.filter { known.variables[$0.key] != $0.value }) { $1 }
        }
    }
}
