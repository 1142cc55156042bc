// SPDX-License-Identifier: Apache-2.0

/// What an item of the outbox is worth when not everything can be sent or kept: `answers` are sent first and
/// dropped last. The log stores the case's number, so the order of the cases never changes.
package enum ItemClass: Int, LoggedRecord, CaseIterable, Comparable {
    case answers, events, motion, position, sound

    /// `Comparable`: the less worth, the greater.
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
