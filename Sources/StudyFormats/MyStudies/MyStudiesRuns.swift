// SPDX-License-Identifier: Apache-2.0
import Times

/// The runs of one activity within its lifetime, for a participant who joined at a moment. Pure.
struct MyStudiesRuns {
    typealias Run = MyStudiesFrequency.Run

    /// 23:59:59.
    static let lastSecond = LocalTime(hour: 23, minute: 59, second: 59) ?? .midnight

    let frequency: MyStudiesFrequency
    let start: LocalDateTime
    /// Nil = as long as the study.
    let end: LocalDateTime?
    let joined: LocalDateTime
    let options: StudyOptions
    /// The runs that are counted from an anchor, in place of the frequency's own.
    let anchored: [Run]

    private var isAndroid: Bool { options.policy == .android }
    /// The activity cannot be done before this.
    private var first: LocalDateTime { max(start, joined) }
    /// Daily, weekly and monthly runs need an end; a study without one is looked at so far.
    private var last: LocalDateTime { end ?? LocalDateTime(first.date.adding(days: options.horizon), Self.lastSecond) }

    /// In order of time; none where the participant joined too late.
    var all: [Run] {
        if let end, joined > end { return [] }
        return switch frequency.kind {
        case .oneTime, .ongoing: [Run(start: first, end: end)]
        case .daily: daily
        case .weekly: isAndroid ? aligned { start.adding(days: 7 * $0) } : weekly
        case .monthly: isAndroid ? aligned { start.adding(months: $0) } : monthly
        case .manually: manually
        }
    }

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

    private func kept(_ run: Run) -> Run? {
        guard let end = run.end, end >= first, run.start <= last else { return nil }
        return run
    }

    private func clipped(_ run: Run) -> Run? {
        guard let runEnd = run.end, run.start >= start, runEnd > joined, run.start <= last else { return nil }
        return Run(start: max(run.start, joined), end: min(runEnd, last))
    }

    /// The weekday of the schedule, in the week of the first moment: it may lie before it.
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

    /// Android: the first run is what is left of the present week or month, counted from the schedule's start.
    private func aligned(_ boundary: (Int) -> LocalDateTime) -> [Run] {
        var runs: [Run] = []
        var index = 0
        while index < MyStudiesSchedule.maximumRuns {
            let begin = boundary(index)
            let end = boundary(index + 1).adding(.seconds(-1))
            index += 1
            guard begin < last else { break }
            if end < joined { continue }
            runs.append(Run(start: max(begin, joined), end: min(end, last)))
        }
        return runs
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
