// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study
import SystemKit

/// What an enrolment produced in a span of the wall clock, and which of its items were dropped, deleted or
/// refused in that span: recordings, submitted answers, spoken answers and files. Messages to the study's
/// server about the course of the study are left out. For the manifests of days, which `ReportService` and
/// `DayRecordMaker` make.
struct ProducedItems {
    private let connection: Connection
    private let outbox: Outbox
    private let recordings: RecordingStore

    /// Bounds recordings and submissions, each; only a fault makes more in a day.
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

    /// The picking destinations that this recording was queued for.
    private func picks(of recording: RecordingRecord, _ picking: Set<String>) throws -> [String] {
        guard !picking.isEmpty else { return [] }
        return try connection.rows(
            "SELECT DISTINCT destination FROM outbox WHERE recording = ? ORDER BY destination", recording.id
        ) { try $0.string(0) }.filter(picking.contains)
    }

    /// The SHA-256 of the recording's description file when it was queued; nil where it was not queued.
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
