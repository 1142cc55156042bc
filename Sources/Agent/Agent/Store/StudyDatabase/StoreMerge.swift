// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study

/// Adds the rows that were written to a store in memory to the store on the disk, when that may be used again
/// (`OpenStore.moveToDisk`).
struct StoreMerge {
    private let memoryConnection: Connection
    private let memoryOutbox: Outbox
    private let memoryLog: EventLog
    private let connection: Connection
    private let log: EventLog
    private let outbox: Outbox

    init(_ memory: OpenStore, into disk: OpenStore) {
        (memoryConnection, memoryLog, memoryOutbox) = (memory.connection, memory.log, Outbox(memory))
        (connection, log, outbox) = (disk.connection, disk.log, Outbox(disk))
    }

    /// Adds the rows from number `first` on. Within a transaction of the caller's on the store on the disk.
    func run(from first: Int64, at stamp: EventStamp) throws {
        try memoryConnection.forEach("SELECT digest, source, received, bytes FROM study_file") { row in
            try connection.run("INSERT OR IGNORE INTO study_file VALUES (?, ?, ?, ?)", values: row.values)
        }
        var count = 0
        // Ids of items in this store, by their ids in memory.
        var names: [String: String] = [:]
        try memoryLog.replay(from: first) { row in
            guard let event = try adopt(row, &names) else { return }
            count += 1
            do { try log.append([event], at: row.stamp) } catch  where ProjectionReplay.isContradiction(error) {
                try refuse(event, error, at: row.stamp)
            }
        }
        try connection.run(
            """
            DELETE FROM request WHERE digest IN (SELECT request FROM outbox WHERE state IN ('deleted', 'dropped'))
            AND digest NOT IN (SELECT request FROM outbox WHERE state NOT IN ('deleted', 'dropped') AND request IS NOT NULL)
            """)
        let message = "the store may be used again; rows that were kept in memory meanwhile: \(count)"
        try log.append([.fault(place: "store", message: message)], at: stamp)
    }

    /// Logs that a row was left out, since it contradicts the log on the disk, which could not be read when
    /// it happened.
    private func refuse(_ event: StudyEvent, _ error: any Error, at stamp: EventStamp) throws {
        let message = "\(event.kind), kept in memory while the store could not be used, does not fit it: \(error)"
        try log.append([.fault(place: "store", message: message)], at: stamp)
    }

    /// The event as it has to be in this log, where ids of items depend on this store's secret; copies the
    /// item's request. Nil for a row that this log has already, and for an erasure, which the caller repeats.
    private func adopt(_ row: LoggedEvent, _ names: inout [String: String]) throws -> StudyEvent? {
        switch row.event {
        case .recordingSealed(let recording):
            return try connection.hasRow("SELECT 1 FROM recording WHERE id = ?", recording.id) ? nil : row.event
        case .queued(var item):
            let name = item.id
            if let digest = item.requestDigest,
                let request = try memoryOutbox.request(digest)
            {
                item.requestDigest = try Digest(of: outbox.secret + request.digest().bytes).description
                try outbox.keep(request, digest: item.requestDigest ?? "")
            }
            item.follows = item.follows.map { names[$0] ?? $0 }
            item.id = try item.name(in: row.stamp.enrolment, secret: outbox.secret)
            names[name] = item.id
            return try outbox.item(item.id) == nil ? .queued(item: item) : nil
        case .erased: return nil
        default: return row.event.renaming(names)
        }
    }
}

extension StudyEvent {
    /// The same event, with its item's id replaced as `names` says.
    fileprivate func renaming(_ names: [String: String]) -> StudyEvent {
        let name = { (item: String) in names[item] ?? item }
        switch self {
        case .uploadStarted(let item): return .uploadStarted(item: name(item))
        case .uploadLocated(let item, let url): return .uploadLocated(item: name(item), url: url)
        case .uploadDelivered(let item, let receipt, let countersigned):
            return .uploadDelivered(item: name(item), receipt: receipt, countersigned: countersigned)
        case .uploadRefused(let item, let reason): return .uploadRefused(item: name(item), reason: reason)
        case .uploadUncertain(let item, let reason, let resends):
            return .uploadUncertain(item: name(item), reason: reason, resends: resends)
        case .uploadFailed(let item, let reason, let retryAt):
            return .uploadFailed(item: name(item), reason: reason, retryAt: retryAt)
        case .uploadPaused(let item): return .uploadPaused(item: name(item))
        case .itemDropped(let item, let reason): return .itemDropped(item: name(item), reason: reason)
        case .itemDeleted(let item, let reason): return .itemDeleted(item: name(item), reason: reason)
        case .itemRequeued(let item): return .itemRequeued(item: name(item))
        default: return self
        }
    }
}
