// SPDX-License-Identifier: Apache-2.0
import Times
import WebServer

/// The page for people, at `/`; `/?user=ID` shows one device with more of its history.
struct PageRoutes: Sendable {
    let archive: Archive
    let faults: Faults
    let clock: any StudyClock
    /// Names of the protocol files that are served.
    let studies: [String]
    /// Of FDA MyStudies.
    let desk: MyStudiesDesk
    let heads: LogHeads
    /// Others than this machine's reach it, and no token is asked for.
    let isOpen: Bool

    /// Devices shown in full on the common page; the others are in the list at its top.
    static let devicesShown = 20
    /// Devices in that list.
    static let devicesListed = 500

    func routes(_ router: inout Router, _ guarded: Guarded) {
        let page: Router.Handler = { request in
            let page = try await self.page(user: request.queryItem("user"), host: request.fields["host"] ?? "127.0.0.1")
            return HTTPResponse(
                200,
                fields: [
                    "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store",
                    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
                    "Referrer-Policy": "no-referrer",
                ], content: .bytes(Array(page.text.utf8)))
        }
        router.on("GET", "/", handler: guarded(page))
    }

    private func page(user: String?, host: String) async throws -> HTML {
        let totals = try await archive.totals()
        let devices = try await archive.devices(limit: Self.devicesListed)
        let chosen = if let user { [try await archive.device(user)].compactMap(\.self) } else { devices }
        var cards: [HTML] = []
        for device in chosen.prefix(Self.devicesShown) { cards.append(try await card(device, isAlone: user != nil)) }
        let orphans = user == nil ? try await archive.orphans(limit: 50) : []
        let mystudies = user == nil ? try await MyStudiesCard.all(desk, host: host, now: clock.now) : []
        let logs = try await heads.html(now: clock.now)
        let content: HTML = "\(logs)\(mystudies)\(cards)\(DeviceCard.orphans(orphans, now: clock.now))"
        return Page(
            devices: devices, count: totals?.devices ?? 0, sum: totals?.all, isOpen: isOpen, fault: faults.fault,
            host: host,
            studies: studies, playsMyStudies: !mystudies.isEmpty, now: clock.now, user: user
        ).html(content)
    }

    /// One of many has less of its history than one alone; either has as much however much has arrived.
    private func card(_ device: Device, isAlone: Bool) async throws -> HTML {
        let user = device.user
        let (records, marks, rows) = isAlone ? (600, 5000, 100) : (60, 1000, 8)
        return DeviceCard(
            device: device, answers: try await archive.records(user: user, kind: .response, limit: records),
            answerMarks: try await archive.marks(user: user, kind: .response, limit: marks),
            logMarks: try await archive.marks(user: user, kind: .log, limit: marks),
            lastLog: try await archive.records(user: user, kind: .log, limit: 1).first,
            logCounts: try await archive.logCounts(user: user, limit: 30),
            warned: try await archive.records(user: user, isWarned: true, limit: rows),
            uploads: try await archive.uploads(user: user, limit: marks),
            refusals: try await archive.refusals(user: user, limit: rows), rows: rows, now: clock.now
        ).html
    }
}
