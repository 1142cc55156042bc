// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study

/// The items that are to be sent and the bytes of their requests: lists, chooses (`nextItem`), queues, deletes.
/// For `StudyDatabase` and its parts. Every change of an item's state is a row of the log.
struct Outbox {
    private let connection: Connection
    private let log: EventLog

    init(_ store: OpenStore) { (connection, log) = (store.connection, store.log) }

    /// The item of that id, nil where there is none.
    func item(_ id: String) throws -> OutboxItem? {
        try connection.first("SELECT \(OutboxItem.columns) FROM outbox WHERE id = ?", id, read: OutboxItem.init)
    }

    /// Items in the order in which they were queued, of one state or of all.
    func items(in state: ItemState? = nil, limit: Int) throws -> [OutboxItem] {
        guard let state else {
            return try connection.rows(
                "SELECT \(OutboxItem.columns) FROM outbox ORDER BY sequence LIMIT ?", limit, read: OutboxItem.init)
        }
        return try connection.rows(
            "SELECT \(OutboxItem.columns) FROM outbox WHERE state = ? ORDER BY sequence LIMIT ?", state.rawValue, limit,
            read: OutboxItem.init)
    }

    /// Items with ids that begin so, found by the index of the ids.
    func items(idPrefix prefix: String) throws -> [OutboxItem] {
        try connection.rows(
            "SELECT \(OutboxItem.columns) FROM outbox WHERE id >= ? AND id < ?", prefix, prefix + "\u{10FFFF}",
            read: OutboxItem.init)
    }

    /// Counts for the status: one entry for each destination, class and state that has items.
    func outboxSummary() throws -> [OutboxSummary] {
        try connection.rows(
            """
            SELECT destination, class, state, count(*), sum(bytes), min(queued), max(last_tried),
                CASE state WHEN 'waiting' THEN (
                    SELECT tried.note FROM outbox tried WHERE tried.state = 'waiting' AND tried.note IS NOT NULL
                    AND tried.destination = outbox.destination AND tried.class = outbox.class
                    ORDER BY tried.last_tried DESC LIMIT 1) END
            FROM outbox GROUP BY destination, class, state ORDER BY destination, class, state
            """
        ) { row in
            OutboxSummary(
                destination: try row.string(0), itemClass: ItemClass(rawValue: Int(try row.int(1))) ?? .sound,
                state: ItemState(rawValue: try row.string(2)) ?? .waiting, count: Int(try row.int(3)),
                bytes: try row.int(4), oldest: try row.instant(5), lastTried: try row.instantOrNil(6),
                note: try row.stringOrNil(7))
        }
    }

    func hasUnsent(for destination: String) throws -> Bool {
        try connection.hasRow(
            "SELECT 1 FROM outbox WHERE state IN ('waiting', 'sending') AND destination = ? LIMIT 1", destination)
    }

    /// When the oldest waiting item was queued; nil where none waits. Items for `destinations` do not count,
    /// nor do files that wait for their answers to be delivered.
    func oldestWaiting(besides destinations: [String]) throws -> Instant? {
        try connection.first(
            """
            SELECT min(queued) FROM outbox WHERE state = 'waiting' AND \(Self.isFree)
            AND destination NOT IN (SELECT value FROM json_each(?))
            """, try StoredJSON.text(destinations)
        ) { try $0.instantOrNil(0) } ?? nil
    }

    /// The enrolments with items waiting for that destination, the latest first.
    func waitingEnrolments(for destination: String) throws -> [String] {
        try connection.rows(
            """
            SELECT enrolment FROM outbox WHERE state = 'waiting' AND destination = ?
            GROUP BY enrolment ORDER BY max(sequence) DESC
            """, destination
        ) { try $0.string(0) }
    }

    /// What that destination is to get next, of one enrolment or of all: of the items that are due, the one queued
    /// first in the most urgent class (`ItemClass`, answers first).
    ///
    /// An item tried before `resettingBackoffBefore` need not wait any longer (the network came back). A retry
    /// later than `longestWait` from now was planned by a clock that was wrong, and counts as due.
    /// With `leastTriedFirst`, which is for a destination that just failed, an item that always
    /// fails does not block those that would not.
    func nextItem(_ choice: UploadChoice) throws -> OutboxItem? {
        // While the outbox is being rebuilt, a waiting item may turn out to be delivered.
        guard log.isCurrent else { return nil }
        return try connection.first(
            """
            SELECT \(OutboxItem.columns) FROM outbox WHERE state = 'waiting' AND destination = ?
            AND (enrolment = ? OR ?) AND (retry_at IS NULL OR retry_at <= ? OR retry_at > ? OR last_tried <= ?)
            AND NOT (last AND queued > ? AND \(Self.hasOthers)) AND \(Self.isFree) AND (NOT ? OR \(Self.isUrgent))
            ORDER BY CASE WHEN ? THEN attempts ELSE 0 END, class, sequence LIMIT 1
            """, choice.destination, choice.enrolment, choice.enrolment == nil, choice.now.nanoseconds,
            (choice.now + choice.longestWait).nanoseconds, choice.resettingBackoffBefore?.nanoseconds,
            (choice.now - Self.longestLast).nanoseconds, choice.onlyUrgent, choice.leastTriedFirst,
            read: OutboxItem.init)
    }

    /// When the next waiting item of that destination is to be tried; nil when none is waiting.
    func nextRetry(for destination: String, of enrolment: String?, onlyUrgent: Bool = false) throws -> Instant? {
        try connection.first(
            """
            SELECT min(max(CASE WHEN last AND \(Self.hasOthers) THEN queued + ? ELSE 0 END, coalesce(retry_at, 0)))
            FROM outbox WHERE state = 'waiting' AND destination = ? AND (enrolment = ? OR ?) AND \(Self.isFree)
            AND (NOT ? OR \(Self.isUrgent))
            """, Self.longestLast.nanoseconds, destination, enrolment, enrolment == nil, onlyUrgent
        ) { try $0.instantOrNil(0) } ?? nil
    }

    /// Items that `DeliveryWindow` does not hold back: answers, and the end of an enrolment.
    private static let isUrgent = "(class = \(ItemClass.answers.rawValue) OR last)"

    /// An item that follows another (a file of answers) is free when that one was delivered.
    private static let isFree = """
        (follows IS NULL OR EXISTS (SELECT 1 FROM outbox AS first WHERE first.id = outbox.follows
        AND first.state = 'delivered'))
        """

    /// A last item (`QueuedItem.isLast`, a leave) waits for every other of its enrolment and destination,
    /// unless that is a file of answers that were refused: it may never be free.
    private static let hasOthers = """
        EXISTS (SELECT 1 FROM outbox AS other WHERE other.state IN ('waiting', 'sending')
        AND other.enrolment = outbox.enrolment AND other.destination = outbox.destination AND NOT other.last
        AND (other.follows IS NULL OR EXISTS (SELECT 1 FROM outbox AS answers WHERE answers.id = other.follows
        AND answers.state = 'delivered')))
        """

    /// The longest that a last item waits for the others: items that the server does not take, because the
    /// study is paused, must not hold back the notice of a leave.
    private static let longestLast = Duration.seconds(86_400)

    /// What an item sends. Throws `missingContent` when a request's bytes are gone.
    func content(of item: OutboxItem) throws -> ItemContent {
        if let file = item.item.file { return .file(file) }
        guard let request = try request(item.item.requestDigest) else {
            throw StoreError.missingContent(item: item.item.id)
        }
        guard !BodyEncryption.isEncrypted(request.body) else { throw StoreError.encryptedContent(item: item.item.id) }
        return .request(request)
    }

    /// The request that is kept under that digest; nil where there is none. Its body stays encrypted
    /// where the key is not here.
    func request(_ digest: String?) throws -> WireRequest? {
        try connection.first("SELECT method, url, headers, body FROM request WHERE digest = ?", digest) { row in
            let kept = try row.bytes(3)
            let body = BodyEncryption.isEncrypted(kept) ? connection.encryption?.opened(kept) ?? kept : kept
            return WireRequest(
                method: try row.string(0), url: try row.string(1), headers: try Self.headers(row.string(2)), body: body)
        }
    }

    /// How many items of an enrolment wait or are being sent, and the addresses of their requests; files
    /// count but have no address. And how many the server refused.
    func unsent(of enrolment: String) throws -> (count: Int, refused: Int, addresses: [String]) {
        let counts = try connection.first(
            """
            SELECT count(CASE WHEN state <> 'refused' THEN 1 END), count(CASE WHEN state = 'refused' THEN 1 END)
            FROM outbox WHERE enrolment = ? AND \(OutboxProjection.isUnsent)
            """, enrolment
        ) { (Int(try $0.int(0)), Int(try $0.int(1))) }
        let addresses = try connection.rows(
            """
            SELECT DISTINCT url FROM request JOIN outbox ON outbox.request = request.digest
            WHERE enrolment = ? AND state IN ('waiting', 'sending') ORDER BY url
            """, enrolment
        ) { try $0.string(0) }
        return (counts?.0 ?? 0, counts?.1 ?? 0, addresses)
    }

    /// The addresses of unsent requests of all enrolments but this one; nil = of all.
    func unsentAddresses(besides enrolment: String?) throws -> [String] {
        try connection.rows(
            """
            SELECT DISTINCT url FROM request JOIN outbox ON outbox.request = request.digest
            WHERE (enrolment <> ? OR ?) AND state IN ('waiting', 'sending') AND url <> '' ORDER BY url
            """, enrolment, enrolment == nil
        ) { try $0.string(0) }
    }

    /// The items of an enrolment, or of all (nil), that have no receipt: waiting, being sent or refused.
    func unsentItems(of enrolment: String?) throws -> [OutboxItem] {
        try connection.rows(
            """
            SELECT \(OutboxItem.columns) FROM outbox
            WHERE \(OutboxProjection.isUnsent) AND (enrolment = ? OR ?) ORDER BY sequence
            """, enrolment, enrolment == nil, read: OutboxItem.init)
    }

    /// Deletes a waiting or refused item by hand, and with answers the files that follow them; all count as
    /// deleted.
    func deleteItem(_ id: String, reason: String, at stamp: EventStamp) throws {
        let item = try changeable(id)
        try log.transaction {
            try finish(item, .itemDeleted(item: id, reason: reason), at: stamp)
            let files = try connection.rows(
                "SELECT \(OutboxItem.columns) FROM outbox WHERE follows = ? AND state IN ('waiting', 'refused')", id,
                read: OutboxItem.init)
            for file in files {
                try finish(file, .itemDeleted(item: file.item.id, reason: "its answers were deleted"), at: stamp)
            }
        }
    }

    /// Makes a refused item wait again, or sends a waiting one from its beginning.
    func requeueItem(_ id: String, at stamp: EventStamp) throws {
        _ = try changeable(id)
        try log.append([.itemRequeued(item: id)], at: stamp)
    }

    /// Makes every refused item wait again, but for those that are held because they may have arrived. Returns how
    /// many, and how many are held.
    func requeueRefused(at stamp: EventStamp) throws -> (count: Int, held: Int) {
        let refused = try items(in: .refused, limit: -1)
        let free = refused.filter { !UploadAttempts.isHeld($0) }
        let count = try log.requeue(free.map { (id: $0.item.id, enrolment: $0.enrolment) }, at: stamp)
        return (count, refused.count - count)
    }

    private func changeable(_ id: String) throws -> OutboxItem {
        guard let item = try item(id) else { throw StoreError.noSuchItem(id) }
        guard item.state == .waiting || item.state == .refused else {
            throw StoreError.wrongState(item: id, state: item.state.rawValue)
        }
        return item
    }

    /// Logs an event that ends the item, and deletes its request's bytes unless another item needs them.
    func finish(_ item: OutboxItem, _ event: StudyEvent, at stamp: EventStamp) throws {
        try log.transaction {
            try log.append([event], at: stamp)
            try connection.run(
                """
                DELETE FROM request WHERE digest = ? AND NOT EXISTS (SELECT 1 FROM outbox
                WHERE request = digest AND \(OutboxProjection.isUnsent))
                """, item.item.requestDigest)
        }
    }

    /// Queues drafts that are not in the outbox yet. Returns the last sequence number, nil
    /// when none was new.
    func queue(_ drafts: [OutboxDraft], at stamp: EventStamp) throws -> Int64? {
        var last: Int64?
        for draft in drafts {
            var item = try draft.item(in: stamp.enrolment, secret: secret)
            if draft.followsAnswers { item.follows = try newestAnswers(of: stamp.enrolment, for: item.destination) }
            guard try self.item(item.id) == nil else { continue }
            if case .request(let request) = draft.content { try keep(request, digest: item.requestDigest ?? "") }
            last = try log.append([.queued(item: item)], at: stamp)
        }
        return last
    }

    /// The id of the answers that were queued last.
    private func newestAnswers(of enrolment: String, for destination: String) throws -> String? {
        try connection.first(
            """
            SELECT id FROM outbox WHERE enrolment = ? AND destination = ? AND class = ? AND request IS NOT NULL
            ORDER BY sequence DESC LIMIT 1
            """, enrolment, destination, ItemClass.answers.rawValue
        ) { try $0.string(0) }
    }

    /// The device's secret key for digests and ids of items (`OutboxDraft.item`).
    var secret: [UInt8] {
        get throws {
            try connection.first("SELECT bytes FROM secret WHERE name = 'items'") { try $0.bytes(0) } ?? []
        }
    }

    /// Stores a request, with its body encrypted where there is a key, unless one is stored under that digest.
    func keep(_ request: WireRequest, digest: String) throws {
        let headers = try StoredJSON.text(request.headers.map { [$0.name, $0.value] })
        let body: [UInt8]
        do { body = try connection.encryption?.encrypted(request.body) ?? request.body } catch {
            throw StoreError.encryptionFailed
        }
        try connection.run(
            "INSERT OR IGNORE INTO request VALUES (?, ?, ?, ?, ?)", digest, request.method, request.url, headers, body)
    }

    private static func headers(_ text: String) throws -> [WireRequest.Header] {
        try StoredJSON.value([[String]].self, from: text).compactMap { pair in
            pair.count == 2 ? WireRequest.Header(name: pair[0], value: pair[1]) : nil
        }
    }
}

/// Items of one destination, class and state, summed up for `studyd status`.
package struct OutboxSummary: Sendable, Hashable {
    package let destination: String
    package let itemClass: ItemClass
    package let state: ItemState
    /// At least 1.
    package let count: Int
    /// Of bodies and files.
    package let bytes: Int64
    package let oldest: Instant
    /// When one of them was last tried; nil = never.
    package let lastTried: Instant?
    /// Why the latest failed try of a waiting item failed; nil where none failed, and for other states.
    package let note: String?
}
