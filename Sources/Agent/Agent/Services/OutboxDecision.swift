// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What `studyd outbox` asks for, of items by their ids; ids may be shortened to a unique beginning.
package enum OutboxOrder: Codable, Sendable, Hashable {
    case delete(id: String)
    case resend(id: String)
    case resendRefused
    /// Resends everything that was delivered between two times, each RFC 3339 or a duration before now;
    /// `until` nil = now.
    case resendDelivered(since: String, until: String?)
    /// The same of recordings whose files are still here, for one destination.
    case resendRecordings(destination: String, since: String, until: String?)
}

/// Carries out an order of `studyd outbox`: in the running agent, or in the command while no agent runs.
package struct OutboxDecision: Sendable {
    private let database: StudyDatabase
    private let stamps: EventClock
    /// The end of the sentence that reports a resending; empty while an agent runs.
    private let when: String

    /// `isRunning`: an agent runs, and resends at once.
    package init(database: StudyDatabase, stamps: EventClock, isRunning: Bool = true) {
        (self.database, self.stamps) = (database, stamps)
        when = isRunning ? "" : " when studyd runs again"
    }

    /// Returns a sentence on what was done, for the terminal.
    package func perform(_ order: OutboxOrder) async throws -> String {
        switch order {
        case .delete(let id): try await delete(try await item(id))
        case .resend(let id): try await resend(try await item(id))
        case .resendRefused: try await resendRefused()
        case .resendDelivered(let since, let until): try await resendDelivered(since: since, until: until)
        case .resendRecordings(let destination, let since, let until):
            try await resendRecordings(to: destination, since: since, until: until)
        }
    }

    private func item(_ beginning: String) async throws -> OutboxItem {
        let found = beginning.isEmpty ? [] : try await database.items(idPrefix: beginning)
        guard let item = found.first, found.count == 1 else {
            guard found.isEmpty else {
                throw ControlFault("\(found.count) item ids begin with '\(beginning)'", remedy: "type more of it")
            }
            throw ControlFault("no item id begins with '\(beginning)'", remedy: "'studyd status --uploads' lists them")
        }
        return item
    }

    private func delete(_ item: OutboxItem) async throws -> String {
        try await database.deleteItem(item.item.id, reason: "deleted by hand", at: stamps.stamp(item.enrolment))
        return "deleted \(item.item.id)"
    }

    private func resend(_ item: OutboxItem) async throws -> String {
        let stamp = stamps.stamp(item.enrolment)
        switch item.state {
        case .refused: try await database.requeueItem(item.item.id, at: stamp)
        case .delivered where try await database.keptIDs().contains(item.item.id):
            try await database.resendDelivered(item.item.id, at: stamp)
        default:
            throw ControlFault(
                "item \(item.item.id) is \(item.state.rawValue)",
                remedy:
                    "only refused items, delivered answers that are still stored and, by --recordings, recordings can be resent"
            )
        }
        return "resending \(item.item.id)\(when)"
    }

    private func resendRefused() async throws -> String {
        let (count, held) = try await database.requeueRefused(at: stamps.stamp(""))
        let done = count > 0 ? "resending \(Plural.of(count, "refused item"))\(when)" : "nothing to resend"
        guard held > 0 else { return done }
        return "\(done); \(held) that may have arrived: resend or delete by id"
    }

    /// Queues again what was delivered in that time and is still kept. Returns a sentence that says how much.
    private func resendDelivered(since: String, until: String?) async throws -> String {
        let (from, end) = try span(since, until)
        let count = try await database.resendDelivered(from: from, until: end, at: stamps.stamp(""))
        guard count == 0 else { return "resending \(Plural.of(count, "delivered answer"))\(when)" }
        let kept = try await database.kept()
        return "nothing to resend: "
            + (kept.map {
                "no answer still stored was delivered in that time; the first of \($0.count) was delivered at \($0.oldest.rfc3339())"
            }
                ?? "no delivered answer is still stored")
    }

    private func resendRecordings(to destination: String, since: String, until: String?) async throws -> String {
        let (from, end) = try span(since, until)
        let count = try await database.resendRecordings(
            to: destination, from: from, until: end, at: stamps.stamp(""))
        guard count == 0 else { return "resending \(Plural.of(count, "file")) of recordings\(when)" }
        let known = try await database.recordingDestinations()
        guard known.isEmpty || known.contains(destination) else {
            throw ControlFault(
                "no recording was delivered to '\(destination)'", remedy: "use \(known.joined(separator: " or "))")
        }
        return "nothing to resend: no recording still stored was delivered to \(destination) in that time"
    }

    private func span(_ since: String, _ until: String?) throws -> (from: Instant, end: Instant) {
        let now = stamps.clock.now
        return (try moment(since, before: now), try until.map { try moment($0, before: now) } ?? now)
    }

    private func moment(_ text: String, before now: Instant) throws -> Instant {
        if let moment = try? Instant(rfc3339: text) { return moment }
        if let age = try? Duration(parsing: text) { return now - age }
        throw ControlFault(
            "'\(text)' is not a time", remedy: "use e.g. 2026-11-21T08:00:00+01:00, or 2h for two hours ago")
    }
}
