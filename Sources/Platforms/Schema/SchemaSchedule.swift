// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// When a schema module is due: on each of `duration` calendar days at each of `times`. `SchemaScheduleReader`
/// makes it, and `Planner` asks it for the occurrences.
///
/// The app builds all tasks once, at enrolment, by JavaScript's `Date` in the phone's zone. There
/// is no rule for the first day: a time before enrolment is a task too, open at once and without a
/// signal; `start_offset: -1` is the way to make something available at once.
package struct SchemaSchedule: Schedule {
    /// Days from the day of enrolment to the first day; may be negative.
    let startOffset: Int
    /// Calendar days.
    let duration: Int
    /// In the order of the file.
    let times: [ClockTime]
    /// Each time is moved by a whole number of minutes from -n to n - 1, drawn
    /// evenly; 0 = not moved.
    var randomInterval = 0
    /// How long a task stays open; nil = until it is done.
    var timeout: Duration?
    /// Only the first task is in the list; the others only signal. The time-out is not looked at.
    var isSticky = false
    /// The running numbers taken by the modules before this one.
    var earlier = TaskNumbers()

    static let never = SchemaSchedule(startOffset: 0, duration: 0, times: [])

    /// Occurrences in all; each takes a running number.
    var count: Int { duration * times.count }

    /// The number and id of an occurrence follow the order of the file; the result is sorted by
    /// time. Draws depend on the enrolment's seed, the task's key and the position alone.
    package func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        let first = earlier.next(in: context)
        let zone = context.zone
        var day = Self.shown(LocalDateTime(context.enrolment.local.date, .midnight), in: zone)
        day = Self.shown(LocalDateTime(day.date.adding(days: startOffset), day.time), in: zone)
        var result: [Occurrence] = []
        result.reserveCapacity(count)
        for _ in 0..<duration {
            for time in times {
                let local = LocalDateTime(day.date.adding(days: time.day), time.time)
                result.append(
                    occurrence(of: task, position: result.count, number: first + result.count, local, context))
            }
            day = Self.shown(LocalDateTime(day.date.adding(days: 1), day.time), in: zone)
        }
        return result.inTimeOrder()
    }

    private func occurrence(
        of task: StudyTask, position: Int, number: Int, _ named: LocalDateTime, _ context: ScheduleContext
    ) -> Occurrence {
        let local = moved(named, of: task, position, context)
        let (due, resolution) = context.zone.resolve(local)
        return Occurrence(
            id: "\(task.key)/\(number)", task: task.key, taskIndex: task.index, number: number, local: local, due: due,
            expires: isSticky ? nil : timeout.map { due + $0 }, resolution: resolution,
            isHidden: isSticky && position > 0, isSignalled: due > context.enrolment.instant)
    }

    /// In the app's two steps, each of which may meet a skipped time: it subtracts the interval, then adds
    /// what it drew.
    private func moved(
        _ named: LocalDateTime, of task: StudyTask, _ position: Int, _ context: ScheduleContext
    ) -> LocalDateTime {
        guard randomInterval > 0 else { return named }
        var generator = context.chance.generator(for: "module \(task.key)/occurrence \(position + 1)")
        let earliest = Self.shown(named, in: context.zone).adding(minutes: -randomInterval)
        return Self.shown(earliest, in: context.zone).adding(minutes: generator.below(2 * randomInterval))
    }

    /// A JavaScript `Date` set to a time that clocks skip moves to a later time, and the next change counts
    /// from there: after a day that a zone left out (Samoa, 30 December 2011) the app continues from the
    /// day after it.
    private static func shown(_ local: LocalDateTime, in zone: Zone) -> LocalDateTime {
        let (instant, resolution) = zone.resolve(local)
        return resolution == .skipped ? zone.local(instant) : local
    }
}
