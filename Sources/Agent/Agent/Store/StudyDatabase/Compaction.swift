// SPDX-License-Identifier: Apache-2.0
import Study

/// Compacts the database after an erasure, so that nothing erased is left in free pages or in the
/// write-ahead log. A full disk or a reader postpones it; `StudyDatabase` runs it again by `finishErasure`.
struct Compaction {
    /// The last run was postponed.
    private(set) var isDue = false

    /// Logs a fault when it is postponed for the first time in a row.
    mutating func run(_ store: OpenStore, at stamp: EventStamp) {
        let wasDue = isDue
        do {
            try store.connection.compact()
            isDue = false
        } catch {
            isDue = true
            guard !wasDue else { return }
            let message =
                "what was erased may still be in the file's free pages, which cannot be rewritten yet: \(error)"
            _ = try? store.log.append([.fault(place: "erasure", message: message)], at: stamp)
        }
    }
}
