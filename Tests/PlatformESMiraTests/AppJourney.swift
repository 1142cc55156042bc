// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformFixtures
import Study

@testable import PlatformESMira

/// One participant's way through a study, in the words in which the app's outcomes are kept:
/// `i50001@86400000` is an invitation of that questionnaire that many milliseconds after joining;
/// `r`
/// a reminder, `m` an `invitation_missed`, `q` a questionnaire, `s` a message, `n` a notification.
/// A time behind a stroke is the one it was scheduled for, where that is another.
struct AppJourney {
    static let days = 6

    private let study: StudyProtocol
    private let habit: AppStudy.Habit
    private let step: Duration
    private let joined: Instant
    private let planner: Planner
    private let signals: [Occurrence]
    private var scheduler: Scheduler
    private var visits: [Instant: [String]] = [:]
    private var events: Set<String> = []
    private var rung: Set<String> = []
    /// Until when each questionnaire's last prompt is signalled again or times out.
    private var busy: [String: Instant] = [:]
    /// What is known to be otherwise than in the app (docs/esmira.md), as far as it
    /// touches this way.
    private(set) var explanations: [AppExplanation] = []

    init(_ app: AppStudy, _ study: StudyProtocol, _ habit: AppStudy.Habit, _ zone: Zone) {
        (self.study, self.habit, step) = (study, habit, .milliseconds(app.step(habit)))
        let local = app.joined(in: zone)
        joined = zone.resolve(local).instant
        let enrolment = Enrolment(
            id: "e", studyID: study.studyID, participant: ParticipantID("P"),
            condition: app.group == 0 ? nil : String(app.group), instant: joined, local: local, seed: [1])
        var facts = StudyFacts(condition: enrolment.condition)
        facts.setting = FactSetting(enrolment: enrolment, zone: zone, now: joined)
        planner = Planner(
            study: study,
            context: ScheduleContext(
                enrolment: enrolment, zone: zone, chance: Chance(seed: [1], digest: testDigest), facts: facts))
        let plan = planner.plan
        signals = plan.occurrences.filter { $0.isSignalled && $0.notice == nil }
        scheduler = Scheduler(plan: plan, facts: facts)
    }

    mutating func run() -> Set<String> {
        let end = joined + .seconds(86_400 * Self.days)
        explanations = AppDifference.known(study, planner.context, until: end)
        if habit == .own {
            var moment = joined + step
            while moment <= end {
                visits[moment] = study.tasks.filter { !$0.isAside }.map(\.key)
                moment = moment + step
            }
        }
        handle(.tick, joined)
        while let next = [scheduler.wake, visits.keys.min()].compactMap(\.self).min(), next <= end {
            if let wake = scheduler.wake, wake <= next {
                handle(.tick, wake)
            } else {
                for task in visits.removeValue(forKey: next) ?? [] { fillOut(task, next) }
            }
        }
        return events
    }

    private mutating func handle(_ event: Scheduler.Event, _ now: Instant) {
        for effect in scheduler.handle(event, at: now) {
            switch effect {
            case .prompt(let prompt):
                if let notice = prompt.notice {
                    lookForOverlap(prompt, now)
                    note(notice.kind == ESMiraAction.message ? "s" : "n", prompt, now, prompt.due)
                    raise(.noticed(notice.kind), prompt.task, now)
                    handle(.noticeGiven(prompt.id), now)
                } else if rung.insert(prompt.id).inserted {
                    look(at: prompt, now)
                    note("i", prompt, now, prompt.due)
                    raise(.prompted, prompt.task, now)
                }
            case .remind(let prompt):
                note("r", prompt, now, now)
                raise(.reminded, prompt.task, now)
            case .unanswered(let prompt):
                note("m", prompt, now, prompt.reminders.last { $0 <= now } ?? prompt.due)
                raise(.unanswered, prompt.task, now)
            case .withdraw, .outcome, .returned: break
            }
        }
    }

    private mutating func note(_ kind: String, _ prompt: Occurrence, _ now: Instant, _ scheduled: Instant) {
        let other = scheduled == now ? "" : "/\((scheduled - joined).milliseconds)"
        events.insert("\(kind)\(prompt.task)@\((now - joined).milliseconds)\(other)")
        if habit == .once || habit == .late, kind == "i" || kind == "r" {
            visits[now + step, default: []].append(prompt.task)
        }
    }

    private mutating func look(at prompt: Occurrence, _ now: Instant) {
        lookForOverlap(prompt, now)
        let end = max(prompt.silentFrom ?? prompt.due, prompt.reminders.last ?? prompt.due)
        busy[prompt.task] = max(busy[prompt.task] ?? end, end)
    }

    private mutating func lookForOverlap(_ prompt: Occurrence, _ now: Instant) {
        guard let end = busy[prompt.task], end >= now else { return }
        explanations.append(AppExplanation(.overlappingSignals))
    }

    private mutating func raise(_ name: StudyHappening.Name, _ task: String, _ now: Instant) {
        let happening = StudyHappening(name, task: task, at: now)
        let raised = planner.raised(by: happening)
        if !raised.isEmpty { handle(.raised(raised), now) }
    }

    /// As `StudyConductor` opens and submits a run.
    private mutating func fillOut(_ task: String, _ now: Instant) {
        guard let entry = scheduler.list(at: now).entries.first(where: { $0.task == task }) else { return }
        if let end = busy[task], signals.contains(where: { $0.comes(in: now...max(now, end), of: task) }) {
            explanations.append(AppExplanation(.overlappingSignals))
        }
        if let prompt = entry.answers { handle(.opened(prompt.id), now) }
        events.insert("q\(task)@\((now - joined).milliseconds)")
        handle(entry.answers.map { .completed($0.id) } ?? .completedAgain(task: task), now)
        var facts = scheduler.facts
        facts.variables[StudyFacts.lastDoneVariable(task)] = .number(Double(now.milliseconds))
        handle(.facts(facts), now)
        raise(.submitted, task, now)
    }
}

extension Occurrence {
    fileprivate func comes(in span: ClosedRange<Instant>, of task: String) -> Bool {
        self.task == task && span.contains(due)
    }
}

extension Duration {
    var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}
