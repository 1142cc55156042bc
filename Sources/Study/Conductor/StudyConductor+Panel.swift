// SPDX-License-Identifier: Apache-2.0
import Base

extension StudyConductor {
    /// Does what the panel wants, or passes it on to the shell.
    mutating func perform(_ effect: PanelEffect, at now: Moment) {
        switch effect {
        case .device(let device): effects.append(.device(device))
        case .press(let edge): append(.pressed(edge))
        case .promptPresented(let id):
            if noted.presented.insert(id).inserted { append(.presented(id)) }
            schedule(.presented(id), at: now)
        case .acceptPrompt(let id): acceptPrompt(id)
        case .putOff(let id): append(.putOff(id))
        case .decline(let id): schedule(.declined(id), at: now)
        case .openList: append(.listOpened, .listOpened)
        case .leaveList: append(.listLeft, .listLeft)
        case .openMenu: append(.menuOpened, .menuOpened)
        case .leaveMenu: append(.menuLeft, .menuLeft)
        case .openTask(let id): open(id, at: now)
        case .progress(let progress):
            if let run { append(.progressed(task: run.entry.task, opening: run.opening, progress)) }
        case .runOpened: break  // noted by `open`, which knows the opening's number
        case .submitted(_, let record): submit(record, at: now)
        case .runLeft(_, let record): leave(record, at: now)
        case .promptsOff: switchPrompts(on: false, at: now)
        case .promptsOn: switchPrompts(on: true, at: now)
        case .withdrawRequested(let deletes): effects.append(.withdraw(deletesData: deletes))
        }
    }

    private mutating func append(_ note: StudyNote, _ report: Report? = nil) {
        effects.append(.note(note))
        if let report { effects.append(.report(report)) }
    }

    private mutating func acceptPrompt(_ id: String) {
        taken = id
        if let occurrence = scheduler.occurrence(id) { effects.append(.report(.promptTaken(occurrence))) }
    }

    /// A prompt opens what it announced; a list entry or a task's own button opens what
    /// stands in the list.
    private func entry(for id: String, at now: Moment) -> OpenList.Entry? {
        if taken == id { return scheduler.opening(of: id, at: now.instant) }
        return scheduler.list(at: now.instant).entries.first { $0.occurrence.id == id || $0.task == id }
    }

    private mutating func open(_ id: String, at now: Moment) {
        defer { taken = nil }
        guard let entry = entry(for: id, at: now), let task = planner.study.task(entry.task) else {
            return panel(.notOpened, at: now)
        }
        let opening = openings[task.key, default: 0] + 1
        openings[task.key] = opening
        let opened = OpenedTask(task, opening: opening, chance: planner.context.chance)
        for draw in opened.draws { append(.drew(draw)) }
        run = OpenRun(entry: entry, opening: opening)
        append(
            .runOpened(task: task.key, opening: opening, occurrence: entry.answers?.id), .runOpened(task: task.key))
        if let answers = entry.answers { schedule(.opened(answers.id), at: now) }
        panel(
            .opened(
                opened, facts: scheduler.facts, run: runName(of: task, opening: opening),
                now: planner.context.zone.local(now.instant)), at: now)
    }

    /// What that opening of a task is called, unique on the device; nil where there
    /// is no such task.
    package func runName(of task: String, opening: Int) -> String? {
        planner.study.task(task).map { runName(of: $0, opening: opening) }
    }

    /// What the run that is open is called; nil while none is.
    package var openRun: String? { run.flatMap { runName(of: $0.entry.task, opening: $0.opening) } }

    func runName(of task: StudyTask, opening: Int) -> String {
        "\(planner.context.enrolment.id)-\(task.index)-\(opening)"
    }

    private mutating func submit(_ record: RunRecord, at now: Moment) {
        guard let run else { return }
        self.run = nil
        let task = run.entry.task
        let end = end(of: task, record)
        for answer in record.given { append(.answered(task: task, opening: run.opening, answer)) }
        var submission = Submission(
            task: task, occurrence: run.entry.occurrence, order: record.opened.order, answers: record.answers,
            drawn: record.opened.presets, submitted: now.instant, run: runNumber(run.entry),
            times: record.times(at: now), course: record.course(at: now))
        submission.prompt = run.entry.answers
        submission.answers.merge(end?.answers ?? [:]) { $1 }
        submissions[task, default: 0] += 1
        append(.submitted(task: task, opening: run.opening, submission), .submitted(submission))
        schedule(run.entry.answers.map { .completed($0.id) } ?? .completedAgain(task: task), at: now)
        judgeEnd(done: planner.study.task(task)?.isAside == true ? nil : now.instant)
        remember(submission, at: now)
        keep(end?.variables ?? [:], at: now)
        if let wish = end?.times { move(wish, at: now) }
        learnAnchors(of: submission, at: now)
        raise(StudyHappening(.submitted, task: task, at: now.instant), at: now)
        for log in end?.logs ?? [] { effects.append(.report(.logged(task: task, log))) }
        for happening in end?.happenings ?? [] { raise(happening, at: now) }
        for (text, record) in end?.news ?? [] {
            if let record { effects.append(.note(.serverSaid(name: ServerFact.message, text: record))) }
            panel(.news(text), at: now)
        }
    }

    /// What the task does of itself with the answers.
    private func end(of task: String, _ record: RunRecord) -> RunEnd? {
        var facts = scheduler.facts
        facts.answers = record.answers
        return planner.study.task(task)?.ending?.end(facts)
    }

    /// Keeps the answers that texts of other tasks put in; no schedule counts from them.
    private mutating func remember(_ submission: Submission, at now: Moment) {
        var values = Dictionary(planner.study.pipedAnswers(of: submission)) { $1 }
        if planner.study.task(submission.task)?.rest != nil {
            let moment = Double(submission.submitted.milliseconds)
            values[StudyFacts.lastDoneVariable(submission.task)] = .number(moment)
        }
        keep(values, at: now)
    }

    /// The occurrence's own number; of a task that may be done again and again, one
    /// more than was done.
    private func runNumber(_ entry: OpenList.Entry) -> Int {
        entry.isSticky ? submissions[entry.task, default: 0] + 1 : entry.occurrence.number
    }

    private mutating func leave(_ record: RunRecord, at now: Moment) {
        guard let run else { return }
        self.run = nil
        append(
            .runLeft(task: run.entry.task, opening: run.opening, end: record.end), .runLeft(task: run.entry.task))
        if let answers = run.entry.answers { schedule(.left(answers.id), at: now) }
    }

    private mutating func switchPrompts(on: Bool, at now: Moment) {
        append(.promptsSwitched(on: on))
        schedule(.prompts(on), at: now)
    }
}
