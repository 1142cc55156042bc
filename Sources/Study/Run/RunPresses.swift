// SPDX-License-Identifier: Apache-2.0
import Base

/// Which gestures count in a `TaskRun`: none of a press that began before the question was presented, nor of
/// one that the question took as a press. Every edge comes here first (`begin`, `release`), then the gestures
/// that `GestureRecogniser` made of it (`take`). Pure.
struct RunPresses: Sendable {
    private let layout: Panel.Layout
    private var last: ButtonEvent?
    /// When the hold that is under way began.
    private var began = MonotonicTime.zero
    /// The last press began in the present question. If not, its repetitions do not count.
    private var isFresh = true
    /// The button that is down. Another one that is pressed meanwhile makes no gesture, as in
    /// `GestureRecogniser`.
    private var held: Int?
    /// A press has begun, and its gesture is still to come.
    private var isUnderWay = false
    /// The press under way began before the question was presented: its gesture answers nothing.
    private var isOld = false
    /// On two buttons a hold steps back, once for each repetition or once at its release. It has done so
    /// by repetitions, so the release means nothing.
    private var hasHoldMoved = false
    /// The question took the press itself, as reaction tests do: the gesture it becomes means nothing,
    /// unless it is a long hold, for the menu or longer.
    private var isTaken = false

    init(_ layout: Panel.Layout) { self.layout = layout }

    /// A press begins; `isTaken` = the question takes it itself.
    mutating func begin(_ press: ButtonEvent, isTaken: Bool) {
        // The same button again before its gesture came: the finger trembled and did not let go.
        let goesOn = isUnderWay && last?.button == press.button
        isOld = isOld && goesOn
        (last, isFresh, hasHoldMoved, self.isTaken) = (press, !isOld, false, isTaken)
        guard held == nil || held == press.button else { return }
        if !goesOn { began = press.time }
        (held, isUnderWay) = (press.button, true)
    }

    /// A button is let go; the gesture of its press may still be to come.
    mutating func release(_ edge: ButtonEvent) { if held == edge.button { held = nil } }

    /// A button was pressed before the run began, and its gesture is still to come.
    mutating func noteHeld() { isUnderWay = true }

    /// Another question is presented: a press that is under way belongs to the one before.
    mutating func openQuestion() { (isFresh, isOld) = (false, isUnderWay) }

    /// True where the gesture counts. `repeats` counts from 0, the press itself; `isWalkedByHolds` is the
    /// present question's.
    mutating func take(_ gesture: Gesture, _ repeats: Int, isWalkedByHolds: Bool, at now: MonotonicTime) -> Bool {
        let answersNothing = isOld && gesture != .menu
        if repeats == 0 { (isFresh, isUnderWay, isOld) = (!answersNothing, false, false) }
        guard isFresh, !isTaken || isOfLongHold(gesture, at: now) else { return false }
        guard layout == .two else { return true }
        defer { hasHoldMoved = repeats > 0 && (hasHoldMoved || isWalkedByHolds) }
        return repeats > 0 ? isWalkedByHolds : !hasHoldMoved
    }

    /// Where the question takes presses itself, only a long hold opens the menu.
    private func isOfLongHold(_ gesture: Gesture, at now: MonotonicTime) -> Bool {
        (gesture == .menu || gesture == .cancel) && now - began >= .seconds(2)
    }
}
