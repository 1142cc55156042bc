// SPDX-License-Identifier: Apache-2.0

/// When a task can be opened, besides its schedule and `StudyTask.unlocked`.
package struct OpeningRules: Sendable {
    /// For how long it is not offered again after it was done; nil = at once.
    package var rest: Duration?
    /// The part of the day in which it can be opened; nil = all of it.
    package var hours: OpenHours?
    /// Once this no longer holds, the task is over: not even its announcements are made.
    package var aliveWhile: any Condition = Always()

    package init() {}
}
