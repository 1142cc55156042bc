// SPDX-License-Identifier: Apache-2.0

/// One press of a button, in the words of the panel.
public struct Press: Sendable, Hashable {
    /// What the press means on the panel at hand; by which button and hold is looked up elsewhere.
    public let gesture: Gesture
    /// For how many repetitions the button stays down; 0 = a press.
    public let repeats: Int

    public init(_ gesture: Gesture, repeats: Int = 0) {
        self.gesture = gesture
        self.repeats = repeats
    }
}
