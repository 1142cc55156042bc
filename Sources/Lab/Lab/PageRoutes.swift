// SPDX-License-Identifier: Apache-2.0
import Base

/// The page for people, at `/`; `/?user=ID` shows one device with more of its history,
/// `&before=NUMBER` its older recordings.
struct PageRoutes: Sendable {
    let archive: Archive
    let faults: Faults
    let clock: any StudyClock
    /// Names of the protocol files that are served.
    let studies: [String]
    let standIns: [any StandIn]
    let heads: LogHeads
    let fleet: FleetRoutes
    let descriptions: DescriptionIndex
    let previews: PreviewRoutes
    /// Others than this machine's reach it, and no token is asked for.
    let isOpen: Bool

    /// Devices shown in full on the common page; the others are in the list at its top.
    private static let devicesShown = 20
    /// Recordings on one page of a device.
    private static let recordingsShown = 50
    private static let devicesListed = 500

    func routes(_ router: inout Router, _ guarded: Guarded) {
        let page: Router.Handler = { request in
            let page = try await self.page(
                user: request.queryItem("user"), before: request.queryItem("before").flatMap { Int64($0) } ?? .max,
                host: request.fields["host"] ?? "127.0.0.1")
            return HTTPResponse(
                200,
                fields: [
                    "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store",
                    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:",
                    "Referrer-Policy": "no-referrer",
                ], content: .bytes(Array(page.text.utf8)))
        }
        router.on("GET", "/", handler: guarded(page))
    }

    private func page(user: String?, before: Int64, host: String) async throws -> HTML {
        let totals = try await archive.totals()
        let devices = try await archive.devices(limit: Self.devicesListed)
        let chosen = if let user { [try await archive.device(user)].compactMap(\.self) } else { devices }
        var cards: [HTML] = []
        let alarms = try await heads.alarms()
        var rows: [ComplianceTable.Row] = []
        for (place, device) in chosen.enumerated() {
            let coverage = try await archive.coverage(of: device.user, at: clock.now)
            if place < Self.devicesShown {
                cards.append(try await card(device, coverage, before: before, isAlone: user != nil))
            }
            let refused = try await archive.refusals(user: device.user, limit: 100).count
            rows.append(
                .init(
                    device: device, compliance: try await heads.compliance(of: device.user), coverage: coverage,
                    faults: refused + alarms.count { $0.user == device.user }))
        }
        let reports = if let user { try await fleet.cards(of: user) } else { try await fleet.table() }
        let lead: HTML = "\(reports)\(ComplianceTable(rows: rows, now: clock.now).html)"
        let orphans = user == nil ? try await archive.orphans(limit: 50) : []
        var sections: [HTML] = []
        var links: [HTML] = []
        for standIn in user == nil ? standIns : [] {
            let own = try await standIn.sections(host: host, now: clock.now)
            sections += own
            if !own.isEmpty { links.append(standIn.links) }
        }
        let logs = try await heads.html(now: clock.now)
        let content: HTML = "\(logs)\(sections)\(cards)\(DeviceCard.orphans(orphans, now: clock.now))"
        return Page(
            devices: devices, count: totals?.devices ?? 0, sum: totals?.all, isOpen: isOpen, fault: faults.fault,
            host: host,
            studies: studies, links: links, hasSections: !sections.isEmpty || !reports.text.isEmpty, now: clock.now,
            user: user
        ).html(lead, content)
    }

    /// What the latest descriptions say.
    private func recorded(of device: DeviceSummary) async throws -> [RecordedSpan] {
        await descriptions.spans(of: try await archive.uploads(user: device.user, limit: 400))
    }

    /// One of many has less of its history than one alone; either has as much however
    /// much has arrived.
    private func card(
        _ device: DeviceSummary, _ coverage: Coverage?, before: Int64, isAlone: Bool
    ) async throws -> HTML {
        let user = device.user
        let recorded = try await recorded(of: device)
        let (records, marks, rows) = isAlone ? (600, 5000, 100) : (60, 1000, 8)
        let page = isAlone ? Self.recordingsShown : rows
        let uploads = try await archive.uploads(user: user, before: before, limit: page + 1)
        return DeviceCard(
            device: device, answers: try await archive.records(user: user, kind: .response, limit: records),
            answerMarks: try await archive.marks(user: user, kind: .response, limit: marks),
            logMarks: try await archive.marks(user: user, kind: .log, limit: marks),
            lastLog: try await archive.records(user: user, kind: .log, limit: 1).first,
            logCounts: try await archive.logCounts(user: user, limit: 30),
            warned: try await archive.records(user: user, isWarned: true, limit: rows),
            uploads: Array(uploads.prefix(page)), recorded: recorded, coverage: coverage,
            drawn: Set(uploads.filter(previews.draws).map(\.number)),
            hasOlder: uploads.count > page,
            refusals: try await archive.refusals(user: user, limit: rows), rows: rows, now: clock.now
        ).html
    }
}
