// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

extension ActiveStudy {
    /// Loads the study of the latest enrolment, unless that was withdrawn; it continues where the log ends. Called
    /// when the loop starts, and when another version or enrolment is taken up. `pause` is the span for which
    /// the participant has paused the sensors: nothing measured in it is kept. `lastRow` is when the log's last row
    /// before this start was written; nil = that is not known.
    static func load(
        from database: StudyDatabase, panel: Panel, zone: Zone, limits: SessionLimits,
        pause: Range<MonotonicTime>? = nil, lastRow: Instant? = nil, at now: Moment
    ) async throws -> ActiveStudy? {
        guard let state = try await database.latestEnrolment(), state.withdrawn == nil,
            let enrolment = state.record.enrolment, let loaded = try await database.loadedStudy(state.record)
        else { return nil }
        var panel = panel
        panel.holdTimes = state.record.holdTimes ?? .usual
        let facts = try await database.facts(of: enrolment.id)
        let context = ScheduleContext(
            enrolment: enrolment, zone: zone, chance: Chance(enrolmentSeed: enrolment.seed), facts: facts)
        let planner = Planner(study: loaded.study.served(by: panel), context: context)
        let zoneBefore = try await database.lastZone(of: state.record).flatMap { $0 == zone.identifier ? nil : $0 }
        let logged = try await LoggedOccurrences(of: enrolment.id, in: database)
        let retired = try await database.retiredTasks(of: enrolment.id)
        // As the row `zoneChanged` says it: for a study that was lost the device was off since then.
        let off = try await database.lossBegan(of: enrolment.id) ?? lastRow
        let (plan, passedOver) = try await planner.plan(from: zoneBefore, until: off, by: database)
        // What has fallen due keeps its times, where its schedule asks for that.
        let kept = plan.keeping(logged.all, over: Set(logged.outcomes.keys))
        let former = logged.former(in: loaded.study, planner, kept, retired: retired)
        let orphans = logged.orphans(among: former)
        let status = try await database.serverFact(ServerFact.status, of: enrolment.id)
        let refusal = try await database.serverFact(ServerFact.refusal, of: enrolment.id)
        let selfStarted = try await database.selfStartedRuns(of: enrolment.id)
        // What is open stays, even if the plan no longer has it. The clock is not trusted until the loop says so.
        let scheduler = Scheduler(
            plan: kept.retaining(logged.open), outcomes: logged.outcomes, presented: logged.presented,
            begun: logged.begun, facts: facts,
            promptsAreOn: state.arePromptsOn, clockIsTrusted: false,
            selfStarted: selfStarted.submitted, selfStartedLeft: selfStarted.left,
            isPaused: refusal != nil || status.map(loaded.platform.isPause) ?? false,
            former: logged.ended(among: former) + orphans,
            retired: retired, passedOver: passedOver,
            switches: PromptSwitches(try await database.promptSwitches(of: enrolment.id)),
            lead: ClockLead(jumps: try await database.clockJumps()))
        let memory = try await database.ruleMemory(of: enrolment.id)
        let rules = loaded.study.rules.map {
            RuleEngine(
                $0, context: context, memory: memory, zoneBefore: zoneBefore.flatMap { try? Zone.load($0) },
                at: now.monotonic)
        }
        let conductor = StudyConductor(
            planner: planner, scheduler: scheduler, panel: panel,
            openings: try await database.openings(of: enrolment.id),
            submissions: try await database.submissions(of: enrolment.id),
            firstOpened: try await database.firstOpenings(of: enrolment.id),
            announced: Set(try await database.serverFacts(ServerFact.resource, of: enrolment.id).map(\.text)),
            noted: NotedPrompts(
                prompted: logged.prompted, presented: logged.presented,
                putOffUntil: try await database.putOffs(of: enrolment.id).mapValues { $0 + limits.putOffDelay }),
            limits: limits,
            lastDone: try await database.completedRuns(of: enrolment.id, limit: 100).first {
                loaded.study.task($0.task)?.isAside != true
            }?.submitted, planned: try await database.serverFact(ServerFact.planned, of: enrolment.id),
            pause: pause, refusal: refusal, rules: rules, at: now)
        let wire = WireContext(study: loaded.study, enrolment: enrolment, zone: zone, postURL: state.record.postURL)
        return ActiveStudy(
            record: state.record, loaded: loaded, conductor: conductor,
            encoder: EventEncoder(context: wire), orphans: orphans, zoneBefore: zoneBefore)
    }
}

/// What the log says of one enrolment's occurrences.
private struct LoggedOccurrences {
    private let views: [OccurrenceView]
    let outcomes: [String: Outcome]
    let begun: Set<String>

    init(of enrolment: String, in database: StudyDatabase) async throws {
        views = try await database.occurrences(of: enrolment)
        outcomes = try await database.outcomes(of: enrolment)
        begun = try await database.begunOccurrences(of: enrolment)
    }

    var all: [Occurrence] { views.map(\.occurrence) }
    var open: [Occurrence] { views.filter { $0.outcome == nil }.map(\.occurrence) }
    /// Ids of those whose prompt was due, and of those whose signal was given.
    var prompted: Set<String> { Set(views.filter { $0.prompted != nil }.map(\.occurrence.id)) }
    var presented: Set<String> { Set(views.filter { $0.presented != nil }.map(\.occurrence.id)) }

    /// Of tasks that were taken out, or are not of the participant's arm any more, which counts as deleted; runs
    /// that ended under numbers of an earlier version; and what a clock that was ahead passed over before this
    /// version, which may be taken back.
    func former(
        in study: StudyProtocol, _ planner: Planner, _ plan: Plan, retired: Set<String>
    ) -> [Occurrence] {
        let planned = Set(plan.occurrences.map(\.id))
        return all.filter { occurrence in
            guard !retired.contains(occurrence.task), let task = study.task(occurrence.task), planner.fits(task)
            else { return true }
            guard let outcome = outcomes[occurrence.id], !planned.contains(occurrence.id) else { return false }
            return task.schedule.numbersRuns
                || task.schedule.startsWithVersion && outcome == .missed(.clockUnknown)
        }
    }

    func ended(among former: [Occurrence]) -> [(occurrence: Occurrence, outcome: Outcome)] {
        former.compactMap { gone in outcomes[gone.id].map { (occurrence: gone, outcome: $0) } }
    }

    /// Those that are open: they count as ended in this way, and are logged as such when the study is entered.
    func orphans(among former: [Occurrence]) -> [(occurrence: Occurrence, outcome: Outcome)] {
        former.filter { outcomes[$0.id] == nil }
            .map { (occurrence: $0, outcome: begun.contains($0.id) ? .interrupted : .missed(.deleted)) }
    }
}

extension Planner {
    /// The plan, and the ids that `Plan.crossing` skips where the wall clock was in the zone named
    /// `before` until `off`, or else the log's last row; nil = it was in the same zone.
    fileprivate func plan(
        from before: String?, until off: Instant?, by database: StudyDatabase
    ) async throws -> (Plan, Set<String>) {
        guard let before, let zone = try? Zone.load(before) else { return (plan, []) }
        let newest = try await database.newestStamp()?.wall
        guard let change = off ?? newest else { return (plan, []) }
        let old = ScheduleContext(
            enrolment: context.enrolment, zone: zone, chance: context.chance, facts: context.facts)
        return plan.crossing(from: Planner(study: study, context: old).plan, at: change)
    }
}

extension StudyEntry {
    /// What the log says of that study's runs when it begins to run.
    init(_ study: ActiveStudy?, from database: StudyDatabase) async throws {
        self.init(study: study)
        guard let id = study?.record.id else { return }
        lostSince = try await database.lossBegan(of: id)
        for run in try await database.openRuns(of: id) {
            openRuns.append(
                LeftRun(
                    task: run.task, opening: run.opening, occurrence: run.occurrence,
                    rows: try await database.progress(of: run.task, opening: run.opening, in: id)))
        }
    }
}
