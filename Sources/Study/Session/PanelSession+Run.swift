// SPDX-License-Identifier: Apache-2.0
import Base

extension PanelSession {
    mutating func open(_ id: String, quick: Gesture?, at now: MonotonicTime) {
        state = .opening(id, quick: quick, since: now)
        effects.append(.openTask(id))
    }

    mutating func opened(
        _ opened: OpenedTask, _ facts: StudyFacts, _ name: String, _ clock: LocalDateTime, at now: MonotonicTime
    ) {
        guard case .opening(let id, let quick, _) = state else { return }
        let beginning = continuation?.task == opened.task.key ? continuation?.step : nil
        continuation = nil
        var run = TaskRun(
            opened, facts: facts, id: name, now: clock, panel: panel, cards: cards, words: words, limits: limits.run,
            beginning: beginning)
        effects.append(.runOpened(id))
        var wanted = run.start(at: now, silently: quick != nil)
        if let quick {
            for edge in lastEdges { _ = run.handle(.edge(edge), at: now) }
            wanted += run.handle(.gesture(quick, repeats: 0), at: now)
        }
        state = .running(id, Boxed(run))
        perform(wanted, at: now)
    }

    mutating func resume(
        _ id: String, _ opened: OpenedTask, _ facts: StudyFacts, _ name: String, _ clock: LocalDateTime,
        _ progress: BrokenPerformance, at now: MonotonicTime
    ) {
        guard isIdle else { return }
        var run = TaskRun(
            opened, facts: facts, id: name, now: clock, panel: panel, cards: cards, words: words, limits: limits.run,
            progress: progress)
        let wanted = run.start(at: now)
        state = .running(id, Boxed(run))
        perform(wanted, at: now)
    }

    mutating func notOpened(at now: MonotonicTime) {
        guard case .opening = state else { return }
        cues.append(.expired)
        rest(at: now)
    }

    mutating func stored(at now: MonotonicTime) {
        guard case .saving = state else { return }
        cues.append(.saved)
        // What an answer leads to may not be open now: then that is told, as of any other task.
        if let continuation, cards.cards.contains(where: { $0.task.key == continuation.task }) {
            return open(continuation.task, quick: nil, at: now)
        }
        rest(at: now)
    }

    mutating func forward(_ event: TaskRun.Event, at now: MonotonicTime) {
        guard case .running(let id, var run) = state else { return }
        // Else the run would be held twice, and all of it copied when it changes.
        state = .idle
        let wanted = run.value.handle(event, at: now)
        state = .running(id, run)
        perform(wanted, at: now)
    }

    private mutating func perform(_ wanted: [TaskRun.Effect], at now: MonotonicTime) {
        for effect in wanted {
            switch effect {
            case .say(let told): cues += told
            case .device(let device): effects.append(.device(device))
            case .progress(let progress): effects.append(.progress(progress))
            case .ended(let record): ended(record, at: now)
            }
        }
    }

    private mutating func ended(_ record: RunRecord, at now: MonotonicTime) {
        guard case .running(let id, _) = state else { return }
        if record.end == .submitted {
            effects.append(.submitted(id, record))
            continuation = record.continuation
            state = .saving(since: now)
        } else {
            effects.append(.runLeft(id, record))
            rest(at: now)
        }
    }
}
