// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// When an activity of FDA MyStudies is due: `Planner` asks it for the runs. They are numbered from 1, and sent
/// with that number; a run that ended before the participant joined is not counted. A new version of the study
/// may number from 1 again (`RunNumbering`): runs that were over by then are counted, and left out.
///
/// The apps of iOS and Android differ, and iOS is the default. Two things of it are not copied: it
/// sometimes counts 86 400 s for a day, which is a calendar day here; and a schedule of a single day has
/// a run on the day after, a fault, which as the last run changes no number.
package struct MyStudiesSchedule: Schedule {
    let frequency: MyStudiesFrequency
    let options: StudyOptions

    /// Bounds memory; later runs are left out.
    static let maximumRuns = 20_000

    /// The app makes the runs of a version's activity again, from 1 (iOS 9091edbe, `DBHandler.saveActivities`).
    package var numbersRuns: Bool { true }
    /// A run that has begun is not taken back when its anchor moves.
    package var keepsIssuedRuns: Bool { frequency.anchor != nil }
    /// An ongoing activity can be done until its end.
    package var closesWithOccurrence: Bool { frequency.kind == .ongoing }

    /// Hidden while its anchor is not known.
    package func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        let joined = context.enrolment.local
        guard let span = lifetime(joined: joined, context) else { return [] }
        let runs = MyStudiesRuns(
            frequency: frequency, start: span.start, end: span.end, joined: joined, options: options,
            anchored: anchoredRuns(context))
        let numbering = context.facts.runNumbering(of: task.key)
        return runs.all.prefix(Self.maximumRuns).enumerated().compactMap { index, run in
            if let numbering, let end = run.end, end <= numbering.since { return nil }
            let id = numbering?.id(of: task.key, index + 1) ?? "\(task.key)/\(index + 1)"
            return occurrence(of: task, id, number: index + 1, run, context)
        }
    }

    /// A run is open while the wall clock shows its time, as in the app, which holds its wall times against the
    /// clock's (iOS 9091edbe, `DBHandler.getActivityFromDBActivity`). One that the clocks are put forward over, an
    /// hour or a day (Samoa, 30 December 2011), keeps its number and is missed.
    private func occurrence(
        of task: StudyTask, _ id: String, number: Int, _ run: MyStudiesFrequency.Run, _ context: ScheduleContext
    ) -> Occurrence {
        let (due, resolution) = context.zone.arrival(at: run.start)
        var occurrence = Occurrence(
            id: id, task: task.key, taskIndex: task.index, number: number, local: run.start,
            due: due, expires: run.end.map { context.zone.arrival(at: $0).instant }, resolution: resolution)
        occurrence.calls.reminders = lastCall(before: occurrence.expires).filter { $0 > due }
        return occurrence
    }

    /// When the apps warn that a run will expire: Android's NotificationModuleSubscriber, and iOS's
    /// LocalNotification, which gives the run's beginning the same id, so that only one-time runs keep it.
    private func lastCall(before end: Instant?) -> [Instant] {
        guard let end else { return [] }
        return switch frequency.kind {
        case .oneTime, .weekly: [end - .seconds(24 * 3_600)]
        case .monthly: [end - .seconds(72 * 3_600)]
        case .ongoing, .daily, .manually: []
        }
    }

    /// The day from which an anchored schedule counts; nil while it is not known.
    private func anchorDay(_ anchor: MyStudiesFrequency.Anchor, _ context: ScheduleContext) -> LocalDate? {
        guard let variable = anchor.source.variable else { return context.enrolment.local.date }
        guard case .dateTime(let local)? = context.facts.variables[variable] else { return nil }
        return local.date
    }

    /// From when to when there are runs; nil while the anchor is not known or gives none.
    private func lifetime(
        joined: LocalDateTime, _ context: ScheduleContext
    ) -> (start: LocalDateTime, end: LocalDateTime?)? {
        guard let anchor = frequency.anchor else { return (frequency.start ?? joined, frequency.end) }
        guard let day = anchorDay(anchor, context) else { return nil }
        if frequency.kind == .manually {
            let runs = anchoredRuns(context)
            guard let first = runs.map(\.start).min() else { return nil }
            return (first, runs.compactMap(\.end).max())
        }
        let start = anchor.start.map { LocalDateTime(day.adding(days: $0.days), $0.time) } ?? joined
        return (start, end(of: anchor, day: day, start: start) ?? frequency.end)
    }

    private func end(
        of anchor: MyStudiesFrequency.Anchor, day: LocalDate, start: LocalDateTime
    ) -> LocalDateTime? {
        anchor.end.map { end in
            switch frequency.kind {
            // `days` counts the units of the frequency.
            case .daily: LocalDateTime(start.date.adding(days: end.days), end.time)
            case .weekly: LocalDateTime(start.date.adding(days: 7 * end.days), end.time)
            case .monthly: LocalDateTime(start.date.adding(months: end.days), end.time)
            case .oneTime, .ongoing, .manually: LocalDateTime(day.adding(days: end.days), end.time)
            }
        }
    }

    /// The runs of every date that the anchor has had if each adds its runs (`addsRuns`), else of its
    /// present date. The first date gives all its runs; a run of a later date is added only if `mayJoin`.
    private func anchoredRuns(_ context: ScheduleContext) -> [MyStudiesFrequency.Run] {
        guard let anchor = frequency.anchor, let day = anchorDay(anchor, context) else { return [] }
        guard anchor.addsRuns, let variable = anchor.source.variable,
            case .choices(let days)? = context.facts.variables[MyStudiesAnchors.all(of: variable)]
        else { return runs(of: anchor, from: day) }
        return days.compactMap { MyStudiesDates.date($0) }.reduce(into: []) { all, day in
            let isFirst = all.isEmpty
            for run in runs(of: anchor, from: day) where isFirst || Self.mayJoin(run, all, anchor.modified) {
                all.append(run)
            }
        }
    }

    /// It overlaps no earlier run and ends after the activity was last changed.
    private static func mayJoin(
        _ run: MyStudiesFrequency.Run, _ earlier: [MyStudiesFrequency.Run], _ modified: LocalDateTime?
    ) -> Bool {
        guard let end = run.end, modified.map({ $0 < end }) ?? true else { return false }
        return earlier.allSatisfy { other in other.end.map { $0 < run.start } ?? false || end < other.start }
    }

    private func runs(of anchor: MyStudiesFrequency.Anchor, from day: LocalDate) -> [MyStudiesFrequency.Run] {
        anchor.runs.map { run in
            MyStudiesFrequency.Run(
                start: LocalDateTime(day.adding(days: run.start), run.opens),
                end: LocalDateTime(day.adding(days: run.end), run.closes))
        }
    }
}
