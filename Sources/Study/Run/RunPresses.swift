// SPDX-License-Identifier: Apache-2.0
import Base

/// Which gestures of a press count in a run. Pure.
struct RunPresses: Sendable {
    private let layout: Panel.Layout
    private var last: ButtonEvent?
    /// A button held over from the question before repeats into nothing.
    private var isFresh = true
    /// The button that is down. Another one that is pressed meanwhile makes no gesture.
    private var held: Int?
    /// A press has begun, and its gesture is still to come.
    private var isUnderWay = false
    /// It began before the question did, and answers nothing.
    private var isOld = false
    /// The hold has moved already, on a panel where the release means the step back: that one
    /// means nothing then.
    private var hasHoldMoved = false
    /// The question took the press itself: the gesture it becomes means nothing, unless it is the
    /// long hold.
    private var isTaken = false

    init(_ layout: Panel.Layout) { self.layout = layout }

    /// A press begins; `isTaken` = the question takes it itself.
    mutating func begin(_ press: ButtonEvent, isTaken: Bool) {
        // Pressed again before its gesture came, a button was not let go.
        isOld = isOld && isUnderWay && last?.button == press.button
        (last, isFresh, hasHoldMoved, self.isTaken) = (press, !isOld, false, isTaken)
        guard held == nil || held == press.button else { return }
        (held, isUnderWay) = (press.button, true)
    }

    /// A button is let go; the gesture of its press may still be to come.
    mutating func release(_ edge: ButtonEvent) { if held == edge.button { held = nil } }

    /// A press began before the run did.
    mutating func holdOver() { isUnderWay = true }

    /// What is held now belongs to what was asked before.
    mutating func turnPage() { (isFresh, isOld) = (false, isUnderWay) }

    /// True where the gesture counts; `isWalkedByHolds` = what is open goes on by holds.
    mutating func take(_ gesture: Gesture, _ repeats: Int, isWalkedByHolds: Bool, at now: MonotonicTime) -> Bool {
        let answersNothing = isOld && gesture != .menu
        if repeats == 0 { (isFresh, isUnderWay, isOld) = (!answersNothing, false, false) }
        guard isFresh, !isTaken || gesture == .menu && isLongHold(at: now) else { return false }
        guard layout == .two else { return true }
        defer { hasHoldMoved = repeats > 0 && (hasHoldMoved || isWalkedByHolds) }
        return repeats > 0 ? isWalkedByHolds : !hasHoldMoved
    }

    /// Where presses are taken as they are, only a long hold means the menu, whatever
    /// the button is for.
    private func isLongHold(at now: MonotonicTime) -> Bool { last.map { now - $0.time >= .seconds(2) } ?? false }
}
