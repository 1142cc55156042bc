// SPDX-License-Identifier: Apache-2.0

/// One press of a button, in the words of the panel: a scripted participant's next step, which `PressFinder`
/// turns into edges.
package struct Press: Sendable, Hashable {
    /// What the press means on the panel at hand; by which button and hold is looked up elsewhere.
    package let gesture: Gesture
    /// For how many repetitions the button stays down; 0 = a press.
    package let repeats: Int

    package init(_ gesture: Gesture, repeats: Int = 0) { (self.gesture, self.repeats) = (gesture, repeats) }
}
