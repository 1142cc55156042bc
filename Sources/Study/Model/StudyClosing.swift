// SPDX-License-Identifier: Apache-2.0
import Base

/// When a study is over for a participant, who then leaves it without being asked: `StudyEnd` asks it.
/// Platforms bring their own.
package protocol StudyClosing: Sendable {
    /// As far as it is known now; nil = never. `lastDone` is when a task was submitted last. Pure.
    func end(in context: ScheduleContext, lastDone: Instant?) -> Instant?
}
