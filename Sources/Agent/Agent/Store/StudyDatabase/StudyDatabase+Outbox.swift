// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study

extension StudyDatabase {
    /// The item of that id, nil where there is none.
    package func item(_ id: String) throws -> OutboxItem? {
        try connection.first("SELECT \(OutboxItem.columns) FROM outbox WHERE id = ?", id, read: OutboxItem.init)
    }

    /// Items in the order in which they were queued, of one state or of all.
    package func items(in state: ItemState? = nil, limit: Int = 1000) throws -> [OutboxItem] {
        guard let state else {
            return try connection.rows(
                "SELECT \(OutboxItem.columns) FROM outbox ORDER BY sequence LIMIT ?", limit, read: OutboxItem.init)
        }
        return try connection.rows(
            "SELECT \(OutboxItem.columns) FROM outbox WHERE state = ? ORDER BY sequence LIMIT ?", state.rawValue, limit,
            read: OutboxItem.init)
    }

    /// How many items are in that state; does not grow with the past.
    package func itemCount(in state: ItemState) throws -> Int {
        try connection.first("SELECT items FROM item_count WHERE state = ?", state.rawValue) { Int(try $0.int(0)) } ?? 0
    }

    /// What is where, summed up for the status: one entry for each destination, class and
    /// state that has items.
    package func outboxSummary() throws -> [OutboxSummary] {
        try connection.rows(
            """
            SELECT destination, class, state, count(*), sum(bytes), min(queued), max(last_tried) FROM outbox
            GROUP BY destination, class, state ORDER BY destination, class, state
            """
        ) { row in
            OutboxSummary(
                destination: try row.string(0), itemClass: ItemClass(rawValue: Int(try row.int(1))) ?? .sound,
                state: ItemState(rawValue: try row.string(2)) ?? .waiting, count: Int(try row.int(3)),
                bytes: try row.int(4), oldest: Instant(nanoseconds: try row.int(5)),
                lastTried: try row.intOrNil(6).map { Instant(nanoseconds: $0) })
        }
    }

    /// Whose items wait for that destination, the latest enrolment first.
    package func waitingEnrolments(for destination: String) throws -> [String] {
        try connection.rows(
            """
            SELECT enrolment FROM outbox WHERE state = 'waiting' AND destination = ?
            GROUP BY enrolment ORDER BY max(sequence) DESC
            """, destination
        ) { try $0.string(0) }
    }

    /// What that destination is to be sent next: the first of the highest class whose time has
    /// come, of one enrolment or of all.
    ///
    /// An item tried before `forgiving` need not wait any longer (the network came back). A retry
    /// that lies further ahead than `longestWait` was planned by a clock that was wrong, and counts
    /// as due. With `leastTriedFirst`, which is for a destination that just failed, an item that
    /// fails for ever does not stand in the way of those that would not.
    package func nextItem(
        for destination: String, of enrolment: String? = nil, at now: Instant, forgiving: Instant? = nil,
        leastTriedFirst: Bool = false, longestWait: Duration
    ) throws -> OutboxItem? {
        // What is not read to its end may have been delivered since.
        guard log.isCurrent else { return nil }
        return try connection.first(
            """
            SELECT \(OutboxItem.columns) FROM outbox WHERE state = 'waiting' AND destination = ?
            AND (enrolment = ? OR ?) AND (retry_at IS NULL OR retry_at <= ? OR retry_at > ? OR last_tried <= ?)
            AND NOT (last AND queued > ? AND \(Self.hasOthers)) AND \(Self.isFree)
            ORDER BY CASE WHEN ? THEN attempts ELSE 0 END, class, sequence LIMIT 1
            """, destination, enrolment, enrolment == nil, now.nanoseconds, (now + longestWait).nanoseconds,
            forgiving?.nanoseconds,
            (now - Self.longestLast).nanoseconds, leastTriedFirst,
            read: OutboxItem.init)
    }

    /// When the next waiting item of that destination is to be tried; nil when none is waiting.
    package func nextRetry(for destination: String, of enrolment: String? = nil) throws -> Instant? {
        let earliest = try connection.first(
            """
            SELECT min(CASE WHEN last AND \(Self.hasOthers) THEN queued + ? ELSE coalesce(retry_at, 0) END)
            FROM outbox WHERE state = 'waiting' AND destination = ? AND (enrolment = ? OR ?) AND \(Self.isFree)
            """, Self.longestLast.nanoseconds, destination, enrolment, enrolment == nil
        ) { try $0.intOrNil(0) }
        return (earliest ?? nil).map { Instant(nanoseconds: $0) }
    }

    /// A file waits for the answers that it belongs to.
    private static let isFree = """
        (follows IS NULL OR EXISTS (SELECT 1 FROM outbox AS first WHERE first.id = outbox.follows
        AND first.state = 'delivered'))
        """

    /// A last item waits for every other of its enrolment and destination.
    private static let hasOthers = """
        EXISTS (SELECT 1 FROM outbox AS other WHERE other.state IN ('waiting', 'sending')
        AND other.enrolment = outbox.enrolment AND other.destination = outbox.destination AND NOT other.last)
        """
    /// But not longer than this: what a server does not take, because the study is paused, must not
    /// keep a leave from it.
    private static let longestLast = Duration.seconds(86_400)

    /// What an item sends. Throws `missingContent` when a request's bytes are gone.
    package func content(of item: OutboxItem) throws -> ItemContent {
        if let file = item.item.file { return .file(file) }
        guard let request = try Self.request(item.item.requestDigest, in: connection) else {
            throw StoreError.missingContent(item: item.item.id)
        }
        return .request(request)
    }

    /// The request that is kept under that digest; nil where there is none.
    static func request(_ digest: String?, in connection: Connection) throws -> WireRequest? {
        try connection.first("SELECT method, url, headers, body FROM request WHERE digest = ?", digest) { row in
            WireRequest(
                method: try row.string(0), url: try row.string(1), headers: try headers(row.string(2)),
                body: try row.bytes(3))
        }
    }

    /// Deletes a waiting or refused item by hand; it is counted as deleted.
    package func deleteItem(_ id: String, reason: String, at stamp: EventStamp) throws {
        let item = try changeable(id)
        try log.transaction {
            try finish(item, .itemDeleted(item: id, reason: reason), at: stamp)
            let orphans = try connection.rows(
                "SELECT id FROM outbox WHERE follows = ? AND state IN ('waiting', 'refused')", id
            ) { try $0.string(0) }
            for orphan in orphans {
                guard let file = try self.item(orphan) else { continue }
                try finish(file, .itemDeleted(item: orphan, reason: "its answers were deleted"), at: stamp)
            }
        }
    }

    /// Has a refused item tried again.
    package func requeueItem(_ id: String, at stamp: EventStamp) throws {
        _ = try changeable(id)
        try log.append([.itemRequeued(item: id)], at: stamp)
    }

    /// Ends an enrolment, and with it every occurrence that is open. With `deletesUnsent`
    /// everything that has no receipt is deleted and counted, recordings too; with `erasesAnswers`
    /// what was answered is erased (see `eraseAnswers`). `drafts` (the notice to the server) are
    /// queued afterwards and sent in any case.
    package func withdraw(
        deletesUnsent: Bool, erasesAnswers: Bool = false, sending drafts: [OutboxDraft], at stamp: EventStamp
    ) throws {
        let removed = try log.transaction {
            let open = try occurrences(of: stamp.enrolment, onlyOpen: true).map {
                StudyEvent.concluded(occurrence: OccurrenceRecord($0.occurrence), outcome: .interrupted)
            }
            try log.append([.withdrawn(deletesUnsent: deletesUnsent)] + open, at: stamp)
            var removed = deletesUnsent ? try deleteUnsent(at: stamp) : []
            if deletesUnsent, log.isCurrent { try forgetDelivered(of: stamp.enrolment) }
            if erasesAnswers { removed += try erase(of: stamp.enrolment, reason: Self.withdrawal, at: stamp).removed }
            _ = try queue(drafts, at: stamp)
            return removed
        }
        removeFiles(of: removed)
        if deletesUnsent || erasesAnswers { opening?.files.removeSetAside() }
        if erasesAnswers { compact(at: stamp) }
    }

    /// What of an enrolment waits to be sent or is being sent: how much, and to which addresses;
    /// files count without one.
    package func unsent(of enrolment: String) throws -> (count: Int, addresses: [String]) {
        let count = try connection.first(
            "SELECT count(*) FROM outbox WHERE enrolment = ? AND state IN ('waiting', 'sending')", enrolment
        ) { Int(try $0.int(0)) }
        let addresses = try connection.rows(
            """
            SELECT DISTINCT url FROM request JOIN outbox ON outbox.request = request.digest
            WHERE enrolment = ? AND state IN ('waiting', 'sending') ORDER BY url
            """, enrolment
        ) { try $0.string(0) }
        return (count ?? 0, addresses)
    }

    /// Where what is unsent of other enrolments is to go; nil = of all.
    package func unsentAddresses(besides enrolment: String?) throws -> [String] {
        try connection.rows(
            """
            SELECT DISTINCT url FROM request JOIN outbox ON outbox.request = request.digest
            WHERE (enrolment <> ? OR ?) AND state IN ('waiting', 'sending') AND url <> '' ORDER BY url
            """, enrolment, enrolment == nil
        ) { try $0.string(0) }
    }

    /// True when the participant has left and what was unsent was deleted.
    package func hasDeletedUnsent(of enrolment: String) throws -> Bool {
        try events(kind: "withdrawn", limit: -1).contains {
            $0.stamp.enrolment == enrolment && $0.event == .withdrawn(deletesUnsent: true)
        }
    }

    /// Items, occurrences and samples, summed up.
    package func ledger() throws -> StoreCounts {
        var ledger = StoreCounts()
        try connection.forEach("SELECT coalesce(outcome, 'open'), count(*) FROM occurrence GROUP BY 1") {
            ledger.occurrences[try $0.string(0)] = Int(try $0.int(1))
        }
        try connection.forEach("SELECT state, items FROM item_count WHERE items > 0") {
            if let state = ItemState(rawValue: try $0.string(0)) { ledger.items[state] = Int(try $0.int(1)) }
        }
        try connection.forEach("SELECT reason, sum(samples) FROM lost_samples GROUP BY 1") {
            ledger.samplesLost[try $0.string(0)] = try $0.int(1)
        }
        ledger.occurrencesDue = try count("SELECT count(*) FROM occurrence")
        ledger.itemsProduced = try count(
            "SELECT count(*) FROM event WHERE kind = 'queued' AND body NOT LIKE '{\"erased\":%'")
        ledger.selfStartedRuns = try count("SELECT count(*) FROM run WHERE occurrence IS NULL")
        ledger.samplesStored = Int64(try count("SELECT coalesce(sum(stored), 0) FROM sample_count"))
        ledger.samplesDue = Int64(try count("SELECT coalesce(sum(due), 0) FROM sample_count"))
        return ledger
    }

    private func count(_ sql: String) throws -> Int { try connection.first(sql) { Int(try $0.int(0)) } ?? 0 }

    private static func headers(_ text: String) throws -> [WireRequest.Header] {
        try StoredJSON.value([[String]].self, from: text).compactMap { pair in
            pair.count == 2 ? WireRequest.Header(name: pair[0], value: pair[1]) : nil
        }
    }

    private func changeable(_ id: String) throws -> OutboxItem {
        guard let item = try item(id) else { throw StoreError.noSuchItem(id) }
        guard item.state == .waiting || item.state == .refused else {
            throw StoreError.wrongState(item: id, state: item.state.rawValue)
        }
        return item
    }

    /// Writes an end of an item after which nobody needs its bytes.
    func finish(_ item: OutboxItem, _ event: StudyEvent, at stamp: EventStamp) throws {
        try log.transaction {
            try log.append([event], at: stamp)
            try connection.run(
                """
                DELETE FROM request WHERE digest = ? AND NOT EXISTS (SELECT 1 FROM outbox
                WHERE request = digest AND state IN ('waiting', 'sending', 'refused'))
                """, item.item.requestDigest)
        }
    }

    func unsentItems(of enrolment: String) throws -> [OutboxItem] {
        try items(limit: -1).filter {
            $0.enrolment == enrolment && [.waiting, .sending, .refused].contains($0.state)
        }
    }

    /// Of the enrolment at that stamp, but for items with these ids. The recordings whose files are
    /// to be removed once that is committed.
    func deleteUnsent(at stamp: EventStamp, except ids: Set<String> = []) throws -> [RecordingView] {
        for item in try unsentItems(of: stamp.enrolment) where !ids.contains(item.item.id) {
            try finish(item, .itemDeleted(item: item.item.id, reason: "withdrawal"), at: stamp)
        }
        let removed = try recordingViews().filter {
            $0.enrolment == stamp.enrolment && $0.removed == nil && !$0.isDelivered
        }
        for view in removed {
            try log.append([.recordingRemoved(recording: view.recording.id, reason: .withdrawal)], at: stamp)
        }
        return removed
    }
}
