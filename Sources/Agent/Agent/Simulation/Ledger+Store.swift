// SPDX-License-Identifier: Apache-2.0
import Study

extension Ledger.ItemCounts {
    package init(_ counts: StoreCounts) {
        self.init()
        produced = counts.itemsProduced
        delivered = counts.items[.delivered] ?? 0
        waiting = counts.items[.waiting] ?? 0
        sending = counts.items[.sending] ?? 0
        refused = counts.items[.refused] ?? 0
        dropped = counts.items[.dropped] ?? 0
        deleted = counts.items[.deleted] ?? 0
    }
}
