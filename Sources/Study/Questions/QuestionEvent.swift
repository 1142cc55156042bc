// SPDX-License-Identifier: Apache-2.0
import Base

/// What a `TaskRun` passes to its current question (`QuestionMachine.handle`).
package enum QuestionEvent: Sendable, Hashable {
    /// `repeats` counts from 0, the press itself; above it the button is being held.
    case gesture(Gesture, repeats: Int)
    case device(DeviceNews)
    /// The recording has reached its longest time.
    case recordingFull
    /// A press or release, given to every machine before the gesture it makes.
    case edge(ButtonEvent)
    /// Its `wake` has come.
    case tick(MonotonicTime)
    /// The menu was opened over it, and closed again. In between it gets no edges, and ticks only
    /// while it is under way.
    case interrupted, resumed
    /// The participant has chosen "leave this question out" in the menu. If the machine answers with no
    /// effect, the question is left out.
    case gaveUp
}
