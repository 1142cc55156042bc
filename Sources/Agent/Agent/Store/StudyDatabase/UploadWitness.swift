// SPDX-License-Identifier: Apache-2.0
import Database
import Study

/// Chooses the rows of the log whose hashes are sent to the lab's receiver with an upload (`DeliveryRunner`) or report
/// (`ReportService`), so that it notices a log that was rewritten or lost rows. `LogWitness` is their form on the wire.
struct UploadWitness {
    private let connection: Connection
    private let log: EventLog

    init(_ store: OpenStore) { (connection, log) = (store.connection, store.log) }

    /// The statement for the upload of that item, which has just begun; nil where it has not.
    ///
    /// It names the row that began this upload, and rows that began earlier ones; those of uploads that are
    /// still under way too, since they may arrive after uploads that began later.
    func witness(of item: String) throws -> LogWitness? { try witness { $0 == .uploadStarted(item: item) } }

    /// The statement for a report, after its `headTold` was logged.
    func witness(ofReport number: Int64) throws -> LogWitness? { try witness { $0 == .headTold(report: number) } }

    private func witness(beganBy isOwn: (StudyEvent) -> Bool) throws -> LogWitness? {
        guard let name = try log.head()?.log else { return nil }
        let starts = try connection.rows(
            """
            SELECT sequence, hash, kind, body FROM event WHERE kind IN ('uploadStarted', 'headTold')
            ORDER BY sequence DESC LIMIT ?
            """, Self.startsLookedAt
        ) { row in
            let event = try? StudyEvent(kind: try row.string(2), body: try row.string(3))
            let id: String? = if case .uploadStarted(let id)? = event { id } else { nil }
            return (
                row: Start(sequence: try row.int(0), hash: (try row.bytes(1)).hexadecimal), item: id,
                isOwn: event.map(isOwn) ?? false
            )
        }
        guard let place = starts.firstIndex(where: \.isOwn) else { return nil }
        let own = starts[place].row
        let earlier = starts[(place + 1)...]
        let underWay = Set(try connection.rows("SELECT id FROM outbox WHERE state = 'sending'") { try $0.string(0) })
        let late = earlier.dropFirst(Self.withoutGap).filter { $0.item.map(underWay.contains) ?? false }.prefix(
            Self.mostUnderWay)
        let delivered = try connection.first(
            """
            SELECT sequence, hash FROM event WHERE kind = 'uploadStarted' AND sequence <
            min(?, (SELECT max(sequence) FROM event WHERE kind = 'uploadDelivered')) ORDER BY sequence DESC LIMIT 1
            """, own.sequence
        ) { Start(sequence: try $0.int(0), hash: (try $0.bytes(1)).hexadecimal) }
        let rows = Set(
            [own] + earlier.prefix(Self.withoutGap).map(\.row) + late.map(\.row) + [delivered].compactMap(\.self))
        return LogWitness(
            log: name, rows: rows.sorted { $0.sequence > $1.sequence }.map { ($0.sequence, $0.hash) })
    }

    /// This many beginnings before it are named without a gap: by them the receiver finds that rows were
    /// lost. Besides them, the last one before the newest receipt of any server.
    private static let withoutGap = 3
    /// `DeliveryLane.largestBatch` (8) for each of a few lanes.
    private static let mostUnderWay = 24
    /// Every running upload began within this many rows.
    private static let startsLookedAt = 64

    /// A row that began an upload.
    private struct Start: Hashable {
        let sequence: Int64
        let hash: String
    }
}
