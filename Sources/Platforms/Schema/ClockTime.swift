// SPDX-License-Identifier: Apache-2.0
import Base

/// A time of day of a study file; "25:30" is half past one of the day after. `SchemaSchedule` and
/// `MomentumSchedule` have prompts at such times.
struct ClockTime: Sendable, Hashable {
    /// Days after the day it is counted from; negative before it.
    let day: Int
    let time: LocalTime

    /// Minutes from midnight, which may be those of another day.
    init?(minutes: Int) {
        let minute = (minutes % 1_440 + 1_440) % 1_440
        day = (minutes - minute) / 1_440
        guard let time = LocalTime(hour: minute / 60, minute: minute % 60) else { return nil }
        self.time = time
    }
}
