// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What of the outbox can still be decided about, as `studyd outbox` and `studyd status --uploads`
/// print it: what the server refused, what is being sent or waits (1000 of each at most, the oldest
/// first), and delivered answers with their bytes still stored.
package struct OutboxList: Sendable {
    private let database: StudyDatabase

    package init(_ database: StudyDatabase) { self.database = database }

    package func lines() async throws -> [String] {
        try await items().map { $0.line + ($0.state == .delivered ? " (kept)" : "") }
    }

    package func values() async throws -> [JSONText] {
        try await items().map { $0.json(isKept: $0.state == .delivered) }
    }

    private func items() async throws -> [OutboxItem] {
        var open: [OutboxItem] = []
        for state in [ItemState.refused, .sending, .waiting] { open += try await database.items(in: state) }
        let kept = try await database.keptIDs()
        guard !kept.isEmpty else { return open }
        // -1 = no limit.
        return open + (try await database.items(in: .delivered, limit: -1).filter { kept.contains($0.item.id) })
    }
}

extension OutboxItem {
    /// One line of `outbox` and `status --uploads`.
    fileprivate var line: String {
        "\(item.id.prefix(12)) \(state.rawValue) \(item.destination) \(ByteText.of(item.bytes)), \(Plural.of(attempts, "try", "tries"))"
            + (uncertain > 0 ? ", \(uncertain) without a reply" : "")
            + (note.map { ": \($0)" } ?? "")
    }

    fileprivate func json(isKept: Bool) -> JSONText {
        .object([
            .init("id", .string(item.id)), .init("kept", .boolean(isKept)), .init("state", .string(state.rawValue)),
            .init("destination", .string(item.destination)), .init("bytes", .integer(item.bytes)),
            .init("attempts", .integer(Int64(attempts))),
            .init("unanswered", .integer(Int64(uncertain))), .init("note", .string(note ?? "")),
        ])
    }
}
