// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Items of one destination, class and state, summed up.
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
