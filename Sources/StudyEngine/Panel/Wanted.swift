// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// What a scripted participant wants a question to be answered with.
public enum Wanted: Sendable, Hashable {
    case leaveOut
    /// `.text` and `.recording` both mean: a voice memo, whatever it says.
    case answer(AnswerValue)
}
