// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// The runs of one activity within its lifetime, for a participant who joined at a given moment, as the app of
/// iOS or Android computes them, for `MyStudiesSchedule`. Pure.
struct MyStudiesRuns {
    typealias Run = MyStudiesFrequency.Run

    static let lastSecond = LocalTime(hour: 23, minute: 59, second: 59) ?? .midnight

    private let frequency: MyStudiesFrequency
    private let start: LocalDateTime
    /// Nil = as long as the study.
    let end: LocalDateTime?
    private let joined: LocalDateTime
    private let isAndroid: Bool
    /// Days that are looked at where nothing ends the runs.
    private let horizon: Int
    /// The runs that are counted from an anchor, in place of the frequency's own.
    private let anchored: [Run]

    /// Runs of an activity that lives from `start` to `end`.
    init(
        frequency: MyStudiesFrequency, start: LocalDateTime, end: LocalDateTime?, joined: LocalDateTime,
        options: StudyOptions, anchored: [Run]
    ) {
        self.frequency = frequency
        self.start = start
        self.end = end
        self.joined = joined
        isAndroid = options.policy == .android
        horizon = options.horizon
        self.anchored = anchored
    }

    /// The activity cannot be done before this.
    private var first: LocalDateTime { max(start, joined) }
    /// Daily, weekly and monthly runs need an end; where there is none they are planned this far.
    private var last: LocalDateTime { end ?? LocalDateTime(first.date.adding(days: horizon), Self.lastSecond) }

    /// In order of time; none where the participant joined too late.
    var all: [Run] {
        if let end, joined > end { return [] }
        return switch frequency.kind {
        // Android's begins with the activity, also before the participant joined
        // (SurveyScheduler.setOneTimeRun).
        case .oneTime: isAndroid ? oneTime : [Run(start: first, end: end)]
        case .ongoing: [Run(start: first, end: end)]
        case .daily: daily
        case .weekly: isAndroid ? aligned(Self.nextWeek) : weekly
        case .monthly: isAndroid ? aligned(Self.nextMonth) : monthly
        case .manually: manually
        }
    }

    private var oneTime: [Run] { end.map { start < $0 } ?? true ? [Run(start: start, end: end)] : [] }

    private var daily: [Run] {
        var runs: [Run] = []
        var day = first.date
        while day <= last.date, runs.count < MyStudiesSchedule.maximumRuns {
            for part in frequency.dayRuns {
                let run = Run(start: LocalDateTime(day, part.start), end: LocalDateTime(day, part.end))
                if let run = isAndroid ? clipped(run) : kept(run) { runs.append(run) }
            }
            day = day.adding(days: 1)
        }
        return runs
    }

    /// iOS: runs keep their times, even if the lifetime begins within them. Once it is over nothing can be begun
    /// (9091edbe, `ActivitiesViewController.getActivityAvailabilityStatus`).
    private func kept(_ run: Run) -> Run? {
        guard let end = run.end, end >= first, run.start < last else { return nil }
        return Run(start: run.start, end: min(end, last))
    }

    /// Android: runs are cut to the time from joining to the end.
    private func clipped(_ run: Run) -> Run? {
        guard let runEnd = run.end, run.start >= start, runEnd > joined, run.start <= last else { return nil }
        return Run(start: max(run.start, joined), end: min(runEnd, last))
    }

    /// Counted from the schedule's weekday in the week of `first`, so the first run may begin before that.
    private var weekly: [Run] {
        let shift = Self.weekday(start) - Self.weekday(first)
        return steps(from: first.adding(days: shift)) { $0.adding(days: 7 * $1) }
    }

    private var monthly: [Run] { steps(from: first) { $0.adding(months: $1) } }

    private func steps(from base: LocalDateTime, _ step: (LocalDateTime, Int) -> LocalDateTime) -> [Run] {
        var runs: [Run] = []
        while runs.count < MyStudiesSchedule.maximumRuns {
            let begin = step(base, runs.count)
            guard begin < last else { break }
            let end = step(base, runs.count + 1).adding(.seconds(-1))
            runs.append(Run(start: begin, end: min(end, last)))
        }
        return runs
    }

    /// Android: each run lasts until the next boundary, counted from its own beginning; the first
    /// begins when the participant joins.
    private func aligned(_ next: (_ begin: LocalDateTime, _ start: LocalDateTime) -> LocalDateTime) -> [Run] {
        var runs: [Run] = []
        var begin = first
        while begin < last, runs.count < MyStudiesSchedule.maximumRuns {
            let boundary = next(begin, start)
            runs.append(Run(start: begin, end: min(boundary.adding(.seconds(-1)), last)))
            begin = boundary
        }
        return runs
    }

    /// A week after the latest day, `begin`'s included, that is the schedule's weekday. If `begin` is on that
    /// weekday before the schedule's time, the run is longer than a week, as on Android.
    private static func nextWeek(_ begin: LocalDateTime, _ start: LocalDateTime) -> LocalDateTime {
        let back = (weekday(begin) - weekday(start) + 7) % 7
        return LocalDateTime(begin.date.adding(days: 7 - back), start.time)
    }

    /// A month after the schedule's day and time in the month of `begin`. As in Java's calendar, a day that
    /// this month does not have runs on into the next one before the month is added, and the sum is cut to
    /// the last day of its month.
    private static func nextMonth(_ begin: LocalDateTime, _ start: LocalDateTime) -> LocalDateTime {
        let first = begin.date.adding(days: 1 - begin.date.components.day)
        return LocalDateTime(first.adding(days: start.date.components.day - 1).adding(months: 1), start.time)
    }

    private var manually: [Run] {
        let listed = frequency.anchor == nil ? frequency.runs : anchored
        return listed.sorted { $0.start < $1.start }.compactMap { run in
            guard end.map({ run.start < $0 }) ?? true, run.end.map({ $0 >= first }) ?? true else { return nil }
            return isAndroid ? Run(start: max(run.start, joined), end: run.end) : run
        }
    }

    /// Sunday is 1, as in the apps' calendar.
    private static func weekday(_ local: LocalDateTime) -> Int { local.date.weekday % 7 + 1 }
}
