// SPDX-License-Identifier: Apache-2.0
import Base

/// Finds the next step of a run from the answers so far, for the studies of all platforms. `TaskRun` calls
/// `start` first, then `answer`, `back` and `leaveSection` in any order until a move is `finished`; from
/// there `back` still leads to the last step.
///
/// Conditions are evaluated with the answers of the moment. A step that is hidden keeps the answer it
/// has, and one that becomes visible after it was passed is asked before its section is left.
package struct Navigator: Sendable {
    package enum Move: Sendable {
        case step(Step)
        /// The section cannot be left before this step is answered.
        case required(Step)
        case finished
    }

    /// A step by its indices in `opened.sections` and their `steps`.
    private struct Place: Sendable, Hashable {
        var section: Int
        var step: Int
    }

    /// The opening that is walked through.
    package let opened: OpenedTask
    /// The answers so far, of hidden steps too.
    package private(set) var answers: Answers = [:]
    private var facts: StudyFacts
    private var place: Place?
    /// The steps shown before the present one, in order.
    private var trail: [Place] = []
    /// Keys of steps that were hidden when the way led past them; a jump leads past steps without
    /// noting them here.
    private var passed: Set<String> = []
    /// How often a jump led to each step.
    private var visits: [String: Int] = [:]

    /// How often a step may be jumped to; the next jump ends the run, which rules that lead back
    /// might never let end.
    package static let mostVisits = 50

    /// Keys of steps that a jump led to, hidden or not.
    private var landed: Set<String> = []
    /// Where the participant goes on once this run is submitted; known at its end.
    package private(set) var continuation: Continuation?

    /// A walk through an opening; `facts` are those of the study, without the answers of this run.
    package init(_ opened: OpenedTask, facts: StudyFacts) { (self.opened, self.facts) = (opened, facts) }

    /// The step shown; nil before `start` and once finished.
    package var current: Step? { place.map(step(at:)) }

    /// The step shown need not be answered.
    var mayBeLeftOut: Bool { place.map { !step(at: $0).isRequired } ?? false }

    /// Goes to where the run begins.
    package mutating func start(at start: RunStart = .first) -> Move {
        switch start {
        case .first: return enterSection(0)
        case .step(let key):
            guard let target = place(of: key) else { return enterSection(0) }
            return show(target)
        case .end: return finish()
        }
    }

    /// Records the answer to the present step, nil = left unanswered (an earlier answer is taken
    /// away), and moves on.
    package mutating func answer(_ value: AnswerValue?) -> Move {
        guard let here = place else { return .finished }
        continuation = nil
        let step = step(at: here)
        answers[step.key] = value
        if let jump = step.jumps.first(where: { $0.when.holds(factsNow) }) {
            return isOwed(step) ? .required(step) : follow(jump, from: here)
        }
        return next(after: here)
    }

    /// Removes an answer with that value, such as a voice memo that could not be stored; false where there
    /// is none.
    mutating func takeBack(_ value: AnswerValue) -> Bool {
        guard let key = answers.first(where: { $0.value == value })?.key else { return false }
        answers[key] = nil
        return true
    }

    /// The section of the present step; nil where there is none.
    var section: Int? { place?.section }

    /// Leaves the present section, whatever is unanswered in it.
    mutating func leaveSection() -> Move { place.map { enterSection($0.section + 1) } ?? .finished }

    /// Goes back to the step shown before; nil at the first, and where there is no way back.
    /// Answers stay.
    package mutating func back() -> Step? {
        guard current?.isOneWay != true else { return nil }
        let isThere = { (place: Place) in landed.contains(step(at: place).key) || isVisible(step(at: place)) }
        guard let position = trail.lastIndex(where: isThere) else { return nil }
        let target = trail[position]
        if let here = place, opened.sections[here.section].isOneWay, target.section != here.section { return nil }
        trail.removeSubrange(position...)
        place = target
        return step(at: target)
    }

    private func step(at place: Place) -> Step { opened.sections[place.section].steps[place.step] }

    /// What conditions look at now: the study's facts and the answers so far.
    var factsNow: StudyFacts {
        var facts = facts
        facts.answers = answers
        facts.presets = opened.presets.filter { answers[$0] == nil }
        for key in facts.presets { facts.answers[key] = .number(1) }
        return facts
    }

    private func isVisible(_ step: Step) -> Bool {
        !opened.hiddenForGood.contains(step.key) && step.visibleWhen?.holds(factsNow) ?? true
    }

    /// The step is required and has no answer, or an empty one.
    private func isOwed(_ step: Step) -> Bool {
        guard step.isRequired, step.format.isQuestion, !opened.presets.contains(step.key) else { return false }
        return switch answers[step.key] {
        case nil, .text(""), .choices([]): true
        default: false
        }
    }

    /// Makes the target, or where its detours lead, the present step; the one before joins `trail`.
    private mutating func show(_ target: Place) -> Move {
        guard let target = afterDetours(target) else { return finish() }
        if let here = place, here != target { trail.append(here) }
        place = target
        return .step(step(at: target))
    }

    /// The step that is presented instead of `target`, by the detours that hold; itself if none does. nil =
    /// the run ends: a detour leads to the end or to another task, or detours lead in a circle.
    private mutating func afterDetours(_ target: Place) -> Place? {
        var place = target
        for _ in 0...Self.mostVisits {
            let facts = factsNow
            guard let detour = step(at: place).detours.first(where: { $0.when.holds(facts) }) else { return place }
            guard case .step(let key) = detour.to, let next = self.place(of: key) else {
                if case .task(let task, let start) = detour.to { continuation = Continuation(task: task, start: start) }
                return nil
            }
            place = next
        }
        return nil
    }

    private mutating func next(after here: Place) -> Move {
        let steps = opened.sections[here.section].steps
        for index in (here.step + 1)..<max(steps.count, here.step + 1) {
            if isVisible(steps[index]) {
                let next = Place(section: here.section, step: index)
                // After a step that was asked late, skip those that were asked before it.
                if isOnWay(next), isLate(here) { continue }
                return show(next)
            }
            passed.insert(steps[index].key)
        }
        return leaveSection(here.section)
    }

    /// The step was asked late: the way came back for it after it had been passed while hidden.
    private func isLate(_ here: Place) -> Bool {
        trail.contains { $0.section == here.section && $0.step > here.step }
    }

    /// At the end of a section: to a step that was hidden when it was passed and is visible now, then to a
    /// required step without an answer, else to the next section.
    private mutating func leaveSection(_ section: Int) -> Move {
        let facts = factsNow
        let open = opened.sections[section].steps.indices.map { Place(section: section, step: $0) }.filter { place in
            isVisible(step(at: place)) && !step(at: place).detours.contains { $0.when.holds(facts) }
        }
        if let late = open.first(where: { passed.contains(step(at: $0).key) && !isOnWay($0) }) { return show(late) }
        guard let owed = open.first(where: { isOnWay($0) && isOwed(step(at: $0)) }) else {
            return enterSection(section + 1)
        }
        _ = show(owed)
        return .required(step(at: owed))
    }

    /// Whether the step is the present one or was shown before it. A step that the participant went back from
    /// is not on the way until it is shown again.
    private func isOnWay(_ here: Place) -> Bool { place == here || trail.contains(here) }

    private mutating func enterSection(_ first: Int) -> Move {
        for section in first..<max(opened.sections.count, first) {
            let steps = opened.sections[section].steps
            for index in steps.indices {
                if isVisible(steps[index]) { return show(Place(section: section, step: index)) }
                passed.insert(steps[index].key)
            }
        }
        return finish()
    }

    private mutating func finish() -> Move {
        if let here = place { trail.append(here) }
        place = nil
        return .finished
    }

    private mutating func follow(_ jump: Jump, from here: Place) -> Move {
        guard case .step(let key) = jump.to else {
            if case .task(let task, let start) = jump.to { continuation = Continuation(task: task, start: start) }
            return finish()
        }
        visits[key, default: 0] += 1
        if visits[key, default: 0] > Self.mostVisits { return finish() }
        guard let target = place(of: key) else { return next(after: here) }
        landed.insert(key)
        return land(on: target)
    }

    private func place(of key: String) -> Place? {
        for (section, content) in opened.sections.enumerated() {
            if let index = content.steps.firstIndex(where: { $0.key == key }) {
                return Place(section: section, step: index)
            }
        }
        return nil
    }

    /// A jump to a step that was shown means having gone back to it.
    private mutating func land(on target: Place) -> Move {
        let move = show(target)
        if let position = trail.firstIndex(of: target) { trail.removeSubrange(position...) }
        return move
    }
}
