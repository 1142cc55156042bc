// SPDX-License-Identifier: Apache-2.0
import Store

/// What a person decides about an item of the outbox.
public struct OutboxDecision: Sendable {
    private let database: StudyDatabase
    private let stamps: StampMaker

    /// Decisions about that store's items.
    public init(database: StudyDatabase, stamps: StampMaker) {
        self.database = database
        self.stamps = stamps
    }

    /// `resend` or `delete` for the item whose id begins so; says what was done.
    public func perform(_ act: String, on beginning: String) async throws -> String {
        let found = try await database.items(limit: -1).filter { $0.item.id.hasPrefix(beginning) }
        guard let item = found.first, found.count == 1, !beginning.isEmpty else {
            throw OutboxDecisionError(
                description: found.isEmpty || beginning.isEmpty
                    ? "no item's id begins with '\(beginning)'; 'studyd status --uploads' shows them"
                    : "\(found.count) items' ids begin with '\(beginning)'; give more of it")
        }
        let stamp = stamps.stamp(item.enrolment)
        if act == "delete" {
            try await database.deleteItem(item.item.id, reason: "deleted by hand", at: stamp)
            return "deleted \(item.item.id)"
        }
        guard item.state == .refused else {
            throw OutboxDecisionError(
                description: "item \(item.item.id) is \(item.state.rawValue); only a refused one is sent again by hand")
        }
        try await database.requeueItem(item.item.id, at: stamp)
        return "\(item.item.id) is sent again"
    }
}

/// Why nothing was done.
struct OutboxDecisionError: Error, CustomStringConvertible {
    let description: String
}
