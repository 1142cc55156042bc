// SPDX-License-Identifier: Apache-2.0

/// What a participant means by a press: `GestureRecogniser` finds it, and the panel and its questions act on
/// it.
package enum Gesture: Sendable, Hashable {
    case previous, next, select, undo, menu
    /// A hold longer than any other: a way out of a press that was not meant. Nothing happens.
    case cancel
    /// A button bound to the task of that key.
    case task(String)
}
