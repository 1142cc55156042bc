// SPDX-License-Identifier: Apache-2.0

/// When a task can be opened and announced, besides its schedule and `StudyTask.unlocked`. ESMira's reader
/// makes it, for `TaskAccess`.
package struct OpeningRules: Sendable {
    /// For how long it is not offered again after it was done; nil = at once.
    package var rest: Duration?
    /// The part of the day in which it can be opened; nil = all of it.
    package var hours: OpenHours?
    /// While it holds, notices of the task are given even though it is locked. It does not keep the task from
    /// being opened: `StudyTask.unlocked` does that.
    package var aliveWhile: any Condition = Always()

    package init() {}
}
