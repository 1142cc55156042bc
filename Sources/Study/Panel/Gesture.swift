// SPDX-License-Identifier: Apache-2.0

/// What a participant means by a press.
package enum Gesture: Sendable, Hashable {
    case previous, next, select, undo, menu
    /// A hold longer than any other: a way out of a press that was not meant. Nothing happens.
    case cancel
    /// A button bound to the task of that key.
    case task(String)
}
