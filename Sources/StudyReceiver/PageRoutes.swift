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

    /// Devices shown in full on the common page; the others are in the list at its top.
    static let devicesShown = 20

    func routes(_ router: inout Router) {
        router.on("GET", "/") { request in
            let page = try await self.page(user: request.queryItem("user"), host: request.fields["host"] ?? "127.0.0.1")
            return HTTPResponse(
                200,
                fields: [
                    "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store",
                    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
                    "Referrer-Policy": "no-referrer",
                ], content: .bytes(Array(page.text.utf8)))
        }
    }

    private func page(user: String?, host: String) async throws -> HTML {
        let devices = try await archive.devices()
        let chosen = devices.filter { user == nil || $0.user == user }
        var cards: [HTML] = []
        for device in chosen.prefix(Self.devicesShown) {
            cards.append(try await card(device, records: user == nil ? 400 : 5000, rows: user == nil ? 8 : 100))
        }
        let known = Set(devices.map(\.user))
        let refusals = try await archive.refusals(limit: 50).filter { user == nil && !known.contains($0.user ?? "") }
        let mystudies = user == nil ? try await MyStudiesCard.all(desk, host: host, now: clock.now) : []
        let content: HTML = "\(mystudies)\(cards)\(DeviceCard.orphans(refusals, now: clock.now))"
        return Page(
            devices: devices, fault: faults.fault, host: host, studies: studies, playsMyStudies: !mystudies.isEmpty,
            now: clock.now, user: user
        ).html(content)
    }

    private func card(_ device: Device, records: Int, rows: Int) async throws -> HTML {
        let user = device.user
        return DeviceCard(
            device: device, answers: try await archive.records(user: user, kind: .response, limit: records),
            logs: try await archive.records(user: user, kind: .log, limit: records),
            logCounts: try await archive.logCounts(user: user),
            uploads: try await archive.uploads(user: user, limit: records),
            refusals: try await archive.refusals(user: user, limit: rows), rows: rows, now: clock.now
        ).html
    }
}
