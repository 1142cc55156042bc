// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// A scripted participant, in the demo and on boards with a participant of their own (`BoardParticipant`):
/// answers prompts as the script says and follows wishes in between.
///
/// A wish is a task's key (opens that task), `pause` (pauses the sensors, or ends their pause) or
/// `leave`; they are followed in turn, each when nothing is open. Without wishes it once opens a task
/// that stays in the list, after the first completed one.
final class ScriptedParticipant: DemoPlayer {
    private var planner: PressPlanner
    private let finder: PressFinder
    private let buttons: DemoButtons
    private var busyUntil = MonotonicTime.zero
    private var goal: PanelGoal?
    private var hasOpenedByItself = false
    /// The wishes not yet begun; nil = none were given.
    private var wishes: ArraySlice<String>?
    /// The wish that `goal` was made of.
    private var currentWish: String?
    let jumpsByItself = true

    /// The wish to leave the study, by the panel's menu.
    private static let leave = "leave"
    private static let pause = "pause"

    init(_ participant: Participant, panel: Panel, buttons: DemoButtons, wishes: [String]? = nil) {
        self.wishes = wishes?[...]
        planner = PressPlanner(participant, panel: panel, opensList: participant.opens != nil)
        finder = PressFinder(panel)
        self.buttons = buttons
    }

    func play(_ conductor: StudyConductor?, at now: Moment) throws -> DemoRequest {
        guard let conductor, busyUntil < now.monotonic else { return conductor == nil ? .nothing : .busy }
        if let move = try planner.move(on: conductor, at: now) {
            giveUpGoal(in: conductor.session)
            return press(move.edges)
        }
        return pressTowardsGoal(conductor, at: now)
    }

    /// A wish that a prompt interrupts before it is fulfilled is the next one again.
    private func giveUpGoal(in session: PanelSession) {
        if let wish = currentWish, let goal, isOpen(wish, goal, in: session) { wishes = [wish] + (wishes ?? []) }
        (goal, currentWish) = (nil, nil)
    }

    /// False once the wish is fulfilled, or cannot be. A prompt may have taken the press, so that another
    /// task is open than the wished one.
    private func isOpen(_ wish: String, _ goal: PanelGoal, in session: PanelSession) -> Bool {
        guard let run = session.run else { return session.isIdle && session.press(towards: goal) != nil }
        if case .pause(let on) = goal { return session.isPaused != on }
        return run.opened.task.key != wish
    }

    private func nextGoal(_ conductor: StudyConductor, at now: Moment) -> PanelGoal? {
        guard conductor.session.isIdle else { return nil }
        let entries = conductor.scheduler.list(at: now.instant).entries
        if let wish = wishes?.first {
            let entry = entries.first { $0.occurrence.task == wish }
            guard wish == Self.leave || wish == Self.pause || entry != nil else { return nil }
            currentWish = wishes?.removeFirst()
            if wish == Self.pause { return .pause(!conductor.session.isPaused) }
            return entry.map { .openItem($0.occurrence.id) } ?? .leaveStudy
        }
        guard wishes == nil, !hasOpenedByItself, conductor.scheduler.ledger.completed > 0,
            let sticky = entries.last(where: \.isSticky)
        else { return nil }
        hasOpenedByItself = true
        return .openItem(sticky.occurrence.id)
    }

    private func pressTowardsGoal(_ conductor: StudyConductor, at now: Moment) -> DemoRequest {
        if goal == nil { goal = nextGoal(conductor, at: now) }
        guard let goal, let wanted = conductor.session.press(towards: goal),
            let edges = finder.edges(wanted, at: now.monotonic + .milliseconds(600))
        else {
            // While a task opens it is not known yet whether it is the wished one.
            if !conductor.session.isOpeningOrSaving { giveUpGoal(in: conductor.session) }
            return .nothing
        }
        return press(edges)
    }

    private func press(_ edges: [ButtonEvent]) -> DemoRequest {
        buttons.press(edges)
        if let last = edges.last { busyUntil = last.time + .milliseconds(300) }
        return .busy
    }
}
