// SPDX-License-Identifier: Apache-2.0
import StudyEngine
import StudyFormats
import StudyModel
import Times

/// Asks the servers of a study what is new. Blocks: call it on a thread of its own.
struct MyStudiesLookout: Sendable {
    let settings: MyStudiesSettings
    let panel: Panel
    let device: Zone

    /// One look at everything. What one server does not answer keeps nothing else from being asked.
    func look(_ known: MyStudiesKnown) -> MyStudiesNews {
        var news = MyStudiesNews()
        let server = MyStudiesServer(settings)
        func attempt(_ body: (inout MyStudiesNews) throws -> Void) {
            do { try body(&news) } catch { news.faults.append("\(error)") }
        }
        attempt { try lookForUpdate(server, known, &$0) }
        attempt { try lookForMessages(server, known, &$0) }
        attempt { try lookForValues(server, known, &$0) }
        return news
    }

    private func lookForUpdate(_ server: MyStudiesServer, _ known: MyStudiesKnown, _ news: inout MyStudiesNews) throws {
        let study = known.study.studyID
        guard let updates = try server.updates(of: study, since: known.version, at: known.base) else { return }
        if let status = updates.status, status != known.status { news.status = status }
        let version = updates.version ?? known.version
        if version == known.refused { return }
        // Told once for each version.
        news.hasNewConsent = updates.hasNewConsent && version != known.version
        guard version != known.version || updates.hasNews else { return }
        // As at the enrolment: another choice would number runs anew.
        let options = StudyBundle.source(known.bytes)?.options ?? settings.options
        let entry = try server.entry(of: study, at: known.base)
        let list = try server.list(of: study, at: known.base)
        if let listed = MyStudiesListing.activities(list) {
            news.deleted = Set(known.study.tasks.map(\.key)).subtracting(listed)
        }
        let files = try server.files(of: study, at: known.base, entry: entry, list: list)
        let bytes = StudyBundle.bytes(files, options: options)
        news.version = version
        if bytes == known.bytes { return }
        do {
            let loaded = try LoadedStudy(bytes, origin: known.source, platform: .mystudies)
            let refusals = StudyVerdict(loaded.study, on: panel).refusals
            guard refusals.isEmpty else { throw EnrolmentError.refused(refusals.map(\.text)) }
            news.update = .init(loaded: loaded, version: version)
        } catch {
            news.refusal = (version, "\(error)")
        }
    }

    private func lookForMessages(
        _ server: MyStudiesServer, _ known: MyStudiesKnown, _ news: inout MyStudiesNews
    ) throws {
        news.messages = try server.messages(of: known.study.studyID, at: known.base, except: known.messages)
    }

    private func lookForValues(_ server: MyStudiesServer, _ known: MyStudiesKnown, _ news: inout MyStudiesNews) throws {
        let zone = try SystemZone.load(settings.zone)
        for variable in known.study.serverVariables
        where variable.refreshes || known.variables[variable.variable] == nil {
            guard let rows = try server.row(variable, of: known.participant) else { continue }
            let values = rows.values(of: variable, known: known.variables, server: zone, device: device)
            news.values.merge(values.filter { known.variables[$0.key] != $0.value }) { $1 }
        }
    }
}
