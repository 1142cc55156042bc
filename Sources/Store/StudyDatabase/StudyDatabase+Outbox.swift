// SPDX-License-Identifier: Apache-2.0
import Database
import StudyModel
import Times

/// How an attempt to send ended.
package enum UploadResult: Sendable, Hashable {
    case delivered(receipt: String)
    case refused(reason: String)
    case failed(reason: String, retryAt: Instant)
    /// Sent, and nobody knows whether it arrived; nil = not sent again but by hand.
    case uncertain(reason: String, retryAt: Instant?)
    /// Something of a higher class goes first; the server keeps what it has of this one.
    case paused
}

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

    /// What is where, summed up for the status: one entry for each destination, class and state that has items.
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

    /// What that destination is to be sent next: the first of the highest class whose time has come, of one enrolment or of all.
    ///
    /// An item tried before `forgiving` need not wait any longer (the network came back). A retry that lies further ahead than
    /// `longestWait` was planned by a clock that was wrong, and counts as due. With `leastTriedFirst`, which is for a destination that
    /// just failed, an item that fails for ever does not stand in the way of those that would not.
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
    /// But not longer than this: what a server does not take, because the study is paused, must not keep a leave from it.
    static let longestLast = Duration.seconds(86_400)

    /// What an item sends. Throws `missingContent` when a request's bytes are gone.
    package func content(of item: OutboxItem) throws -> ItemContent {
        if let file = item.item.file { return .file(file) }
        let request = try connection.first(
            "SELECT method, url, headers, body FROM request WHERE digest = ?", item.item.requestDigest
        ) { row in
            WireRequest(
                method: try row.string(0), url: try row.string(1), headers: try Self.headers(row.string(2)),
                body: try row.bytes(3))
        }
        guard let request else { throw StoreError.missingContent(item: item.item.id) }
        return .request(request)
    }

    /// Chooses what is sent next and says that its attempts begin, in one transaction and with one flush: one item, or up to `most` requests
    /// of one class and enrolment, in the order in which they are to be sent. What is not sent after all is to be given back by `returnUploads`.
    package func startUploads(
        _ choice: UploadChoice, most: Int, at stamp: @Sendable (_ enrolment: String) -> EventStamp
    ) throws -> [OutboxItem] {
        guard let first = try nextItem(choice) else { return [] }
        return try log.transaction {
            var begun: [OutboxItem] = []
            var candidate: OutboxItem? = first
            while let item = candidate, try startUpload(item.item.id, at: stamp(item.enrolment)) {
                begun.append(item)
                guard begun.count < most, item.item.file == nil else { break }
                candidate = try nextItem(choice).flatMap { Self.mayFollow($0, first) ? $0 : nil }
            }
            return begun
        }
    }

    private func nextItem(_ choice: UploadChoice) throws -> OutboxItem? {
        try nextItem(
            for: choice.destination, of: choice.enrolment, at: choice.now, forgiving: choice.forgiving,
            leastTriedFirst: choice.leastTriedFirst, longestWait: choice.longestWait)
    }

    private static func mayFollow(_ item: OutboxItem, _ first: OutboxItem) -> Bool {
        item.item.file == nil && item.item.itemClass == first.item.itemClass && item.enrolment == first.enrolment
    }

    /// Gives back items that were begun and of which nothing was sent: they wait as if they had not been.
    package func returnUploads(_ ids: [String], at stamp: EventStamp) throws {
        try log.transaction {
            for id in ids where try item(id)?.state == .sending { try log.append([.uploadPaused(item: id)], at: stamp) }
        }
    }

    /// Returns when everything that was written without a flush survives a power cut; see `finishUpload`.
    package func flush() throws {
        try log.flush()
        unflushedSince = nil
    }

    /// How the store is doing, asked now and then. What has waited for a flush since it was seen so long ago is flushed.
    package func condition(flushingAfter patience: Duration, at now: MonotonicTime) -> StoreCondition {
        StoreCondition(
            volatile: volatile, headFault: headFault, flushFault: flushFault(flushingAfter: patience, at: now))
    }

    private func flushFault(flushingAfter patience: Duration, at now: MonotonicTime) -> String? {
        guard log.awaitsFlush else {
            unflushedSince = nil
            return nil
        }
        let since = unflushedSince ?? now
        unflushedSince = since
        guard now - since >= patience else { return nil }
        do { try flush() } catch { return "\(error)" }
        return nil
    }

    /// Says that an attempt begins. False when the item is no longer waiting: then it must not be sent.
    package func startUpload(_ id: String, at stamp: EventStamp) throws -> Bool {
        guard try item(id)?.state == .waiting else { return false }
        try log.append([.uploadStarted(item: id)], at: stamp)
        return true
    }

    /// Keeps the place the server made for an item that is being sent; empty when it is gone.
    package func locateUpload(_ id: String, url: String, at stamp: EventStamp) throws {
        try log.append([.uploadLocated(item: id, url: url)], at: stamp)
    }

    /// Says how an attempt ended. A receipt counts whatever became of the item meanwhile; anything else only while it is being
    /// sent. Without `flushing` it is there for everybody and outlives the process; a power cut before `flush` has the item sent again.
    package func finishUpload(
        _ id: String, _ result: UploadResult, flushing: Bool = true, at stamp: EventStamp
    ) throws {
        try log.transaction(flushing: flushing) { try writeEnd(id, result, at: stamp) }
    }

    private func writeEnd(_ id: String, _ result: UploadResult, at stamp: EventStamp) throws {
        guard let item = try item(id) else { throw StoreError.noSuchItem(id) }
        switch result {
        case .delivered(let receipt):
            let event = StudyEvent.uploadDelivered(item: id, receipt: receipt)
            // What was erased comes to nothing more; everything else can be sent again until its grace is over.
            if try hasErasedAnswers(of: item.enrolment) {
                try finish(item, event, at: stamp)
            } else {
                try log.append([event], at: stamp)
            }
        case .refused(let reason) where item.state == .sending:
            try log.append([.uploadRefused(item: id, reason: reason)], at: stamp)
        case .failed(let reason, let retryAt) where item.state == .sending:
            try log.append([.uploadFailed(item: id, reason: reason, retryAt: retryAt)], at: stamp)
        case .uncertain(let reason, let retryAt?) where item.state == .sending:
            try log.append(
                [
                    .uploadUncertain(item: id, reason: reason, resends: true),
                    .uploadFailed(item: id, reason: Self.sentAgain + reason, retryAt: retryAt),
                ], at: stamp)
        case .uncertain(let reason, nil) where item.state == .sending:
            try log.append(
                [
                    .uploadUncertain(item: id, reason: reason, resends: false),
                    .uploadRefused(item: id, reason: Self.held + reason),
                ], at: stamp)
        case .paused where item.state == .sending: try log.append([.uploadPaused(item: id)], at: stamp)
        case .refused, .failed, .uncertain, .paused: break
        }
    }

    private static let sentAgain = "sent, but no reply; resending, so the server may have it twice: "
    private static let held =
        "sent, but no reply; kept until you decide, so that the server does not have it twice: "

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

    /// Ends an enrolment, and with it every occurrence that is open. With `deletesUnsent` everything that has no receipt is deleted and counted,
    /// recordings too; with `erasesAnswers` what was answered is erased (see `eraseAnswers`). `drafts` (the notice to the server) are queued
    /// afterwards and sent in any case.
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

    /// What of an enrolment waits to be sent or is being sent: how much, and to which addresses; files count without one.
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

    private func deleteUnsent(at stamp: EventStamp) throws -> [RecordingView] {
        let unsent = try items(limit: -1).filter {
            $0.enrolment == stamp.enrolment && [.waiting, .sending, .refused].contains($0.state)
        }
        for item in unsent { try finish(item, .itemDeleted(item: item.item.id, reason: "withdrawal"), at: stamp) }
        let removed = try recordingViews().filter {
            $0.enrolment == stamp.enrolment && $0.removed == nil && !$0.isDelivered
        }
        for view in removed {
            try log.append([.recordingRemoved(recording: view.recording.id, reason: .withdrawal)], at: stamp)
        }
        return removed
    }
}
