// SPDX-License-Identifier: Apache-2.0
import Database
import Glibc
import Times

extension StudyDatabase {
    /// The highest number that a recording ever had, 0 before the first. Ids that are no plausible number do not count.
    public func highestRecordingNumber() throws -> Int {
        try connection.first(
            "SELECT coalesce(max(CAST(id AS INTEGER)), 0) FROM recording WHERE length(id) < 15"
        ) { Int(try $0.int(0)) } ?? 0
    }

    /// Every recording that was ever sealed, oldest first.
    public func recordingViews() throws -> [RecordingView] {
        try connection.rows(
            """
            SELECT record, enrolment, sealed, removed,
                (SELECT count(*) FROM outbox WHERE recording = r.id),
                (SELECT count(*) FROM outbox WHERE recording = r.id AND state <> 'delivered')
            FROM recording AS r ORDER BY sequence
            """
        ) { row in
            let items = try row.int(4)
            let undelivered = try row.int(5)
            return RecordingView(
                recording: try StoredJSON.value(RecordingRecord.self, from: row.string(0)),
                enrolment: try row.string(1), sealed: Instant(nanoseconds: try row.int(2)),
                removed: try row.stringOrNil(3).flatMap { RemovalReason(rawValue: $0) },
                isDelivered: items > 0 && undelivered == 0)
        }
    }

    /// Removes what `policy` does not keep, and says so in the log first. Returns what was removed.
    @discardableResult
    public func applyRetention(_ policy: RetentionPolicy, at stamp: EventStamp) throws -> [RetentionPolicy.Removal] {
        let views = try recordingViews()
        let removals = policy.removals(of: views, at: stamp.wall, on: disk)
        let ids = Set(removals.map(\.recording))
        try log.transaction { for removal in removals { try remove(removal, at: stamp) } }
        removeFiles(of: views.filter { ids.contains($0.recording.id) })
        return removals
    }

    /// The disk under the recordings; nil where there are none, or the kernel does not tell.
    private var disk: RetentionPolicy.Disk? {
        var status = statvfs()
        guard let recordings, statvfs(recordings, &status) == 0 else { return nil }
        let unit = Int64(status.f_frsize)
        return RetentionPolicy.Disk(
            free: Int64(clamping: status.f_bavail) * unit, size: Int64(clamping: status.f_blocks) * unit)
    }

    /// Removes files whose removal is in the log but was cut off before it reached the disk. To be called at start.
    public func sweepRemovedRecordings() throws {
        removeFiles(of: try recordingViews().filter { $0.removed != nil })
    }

    private func remove(_ removal: RetentionPolicy.Removal, at stamp: EventStamp) throws {
        try log.append([.recordingRemoved(recording: removal.recording, reason: removal.reason)], at: stamp)
        guard removal.reason == .diskCap else { return }
        let items = try connection.rows(
            """
            SELECT \(OutboxItem.columns) FROM outbox
            WHERE recording = ? AND state IN ('waiting', 'sending', 'refused') ORDER BY sequence
            """, removal.recording, read: OutboxItem.init)
        for item in items { try finish(item, .itemDropped(item: item.item.id, reason: "disk cap"), at: stamp) }
    }

    /// Unlinks the files of recordings; what is gone already is fine. A path that leaves the directory is not touched.
    func removeFiles(of views: [RecordingView]) {
        guard let recordings else { return }
        for path in views.flatMap({ [$0.recording.path, $0.recording.descriptionPath] })
        where !path.isEmpty && !path.hasPrefix("/") && !path.split(separator: "/").contains("..") {
            unlink("\(recordings)/\(path)")
            // The compressed copy of an upload that did not come to its end.
            unlink("\(recordings)/\(path).zst.tmp")
        }
    }
}
