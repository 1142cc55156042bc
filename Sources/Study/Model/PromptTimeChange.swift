// SPDX-License-Identifier: Apache-2.0

/// The participant's request to move times, all or none, and what is said in reply, in the study's language.
/// ESMira's task for prompt times makes it of a run, and `StudyConductor` carries it out.
package struct PromptTimeChange: Sendable {
    /// Empty = none is to be moved.
    package var times: [PromptTime] = []
    /// Said where they are moved.
    package var done = ""
    /// Said where the study does not allow it; they stay as they are.
    package var refused = ""

    package init() {}
}

/// What follows from moved times: `Planner.moving` gives it to `StudyConductor` and `PromptTimeEditor`.
package struct MovedTimes: Sendable {
    /// What schedules look at from now on.
    package var variables: [String: AnswerValue] = [:]
    /// One for each time that was moved.
    package var reports: [Report] = []
    /// For the participant, one line each.
    package var lines: [String] = []

    package init() {}
}
