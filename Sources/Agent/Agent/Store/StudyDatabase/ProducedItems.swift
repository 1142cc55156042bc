// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study
import SystemKit

/// Which of the destinations are the lab's receiver, and its address.
package struct LabRoutes: Sendable, Hashable {
    /// Nil = there is none.
    private(set) var address: String?
    /// Destinations of recordings, by name, but for those that pick.
    let recordings: [String]
    /// Those that pick.
    fileprivate let picking: Set<String>
    /// Those of all destinations that lead to the lab's receiver, by name.
    private(set) var lab: Set<String>

    package init(_ destinations: [ConfiguredDestination], lab address: String?) {
        let origin = address.flatMap(WebOrigin.init)
        self.address = address
        let all = destinations.filter(\.takes.hasRecordings).map(\.destination)
        recordings = all.filter { !$0.picksRecordings }.map(\.name)
        picking = Set(all.filter(\.picksRecordings).map(\.name))
        lab = Set(
            destinations.map(\.destination).filter {
                $0.isLab || origin != nil && $0.address.flatMap(WebOrigin.init) == origin
            }.map(\.name))
    }

    /// As a manifest for that destination needs them: its reader takes the lab's place.
    func seen(from destination: String) -> LabRoutes {
        var routes = self
        (routes.address, routes.lab) = (nil, [destination])
        return routes
    }

    /// Recordings come to who reads the manifest.
    fileprivate var hasRecordings: Bool { address != nil || recordings.contains(where: lab.contains) }

    func isLab(_ item: OutboxItem, url: String?) -> Bool {
        if lab.contains(item.item.destination) { return true }
        guard let url, let address, !url.isEmpty else { return false }
        return WebOrigin(url) == WebOrigin(address)
    }
}

/// What an enrolment produced in a span of the wall clock, and what of it ended then without being
/// delivered: recordings, submitted answers, spoken answers and files. Messages to the study's
/// server about its course are not among it.
struct ProducedItems {
    private let connection: Connection
    private let outbox: Outbox
    private let recordings: RecordingStore

    /// Of each kind; more in a day than anything but a fault makes.
    private static let limit = 20_000

    init(_ store: OpenStore, _ recordings: RecordingStore) {
        (connection, outbox) = (store.connection, Outbox(store))
        self.recordings = recordings
    }

    func items(
        of enrolment: String, from start: Instant, to end: Instant, _ routes: LabRoutes
    ) throws -> [ProducedItem] {
        let found = try recordings.produced(of: enrolment, from: start, to: end, limit: Self.limit)
        return try found.map {
            ProducedItem(
                $0.view, destinations: routes.recordings + (try picks(of: $0.view.recording, routes.picking)),
                refusal: $0.refusal,
                descriptionSHA256: try descriptionDigest(of: $0.view.recording), isToLab: routes.hasRecordings)
        }
            + (try submissions(of: enrolment, from: start, to: end).map { item in
                let request = try outbox.request(item.item.requestDigest)
                return ProducedItem(
                    item, digest: try request.map { try Digest(of: $0.body).description },
                    isToLab: routes.isLab(item, url: request?.url))
            })
    }

    private func picks(of recording: RecordingRecord, _ picking: Set<String>) throws -> [String] {
        guard !picking.isEmpty else { return [] }
        return try connection.rows(
            "SELECT DISTINCT destination FROM outbox WHERE recording = ? ORDER BY destination", recording.id
        ) { try $0.string(0) }.filter(picking.contains)
    }

    /// As it was when it was queued; nil where it goes nowhere.
    private func descriptionDigest(of recording: RecordingRecord) throws -> String? {
        try connection.rows("SELECT item FROM outbox WHERE recording = ? ORDER BY sequence", recording.id) {
            try StoredJSON.value(QueuedItem.self, from: $0.string(0)).file
        }.compactMap(\.self).first { $0.path == recording.descriptionPath }?.sha256
    }

    private func submissions(of enrolment: String, from start: Instant, to end: Instant) throws -> [OutboxItem] {
        try connection.rows(
            """
            SELECT \(OutboxItem.columns) FROM outbox WHERE enrolment = ? AND recording IS NULL
            AND (class = ? OR request IS NULL) AND (queued >= ? AND queued < ? OR id IN (
            SELECT json_extract(body, '$.item') FROM event
            WHERE kind IN ('itemDropped', 'itemDeleted', 'uploadRefused') AND wall >= ? AND wall < ?))
            ORDER BY sequence LIMIT ?
            """, enrolment, ItemClass.answers.rawValue, start.nanoseconds, end.nanoseconds, start.nanoseconds,
            end.nanoseconds, Self.limit, read: OutboxItem.init)
    }
}
