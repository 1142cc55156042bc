// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// docs/panel.md: what a press means, and when it means nothing.
@Suite struct RunPressesTests {
    private static func press(_ time: MonotonicTime = .zero) -> ButtonEvent {
        ButtonEvent(button: 0, isPressed: true, time: time)
    }

    @Test func aButtonHeldOverFromTheQuestionBeforeRepeatsIntoNothing() {
        var presses = RunPresses(.three)
        presses.begin(Self.press(), isTaken: false)
        presses.openQuestion()
        let held = (0...3).map { presses.take(.next, $0, isWalkedByHolds: false, at: .zero) }
        #expect(held == [false, false, false, false])
        presses.begin(Self.press(), isTaken: false)
        let next = (0...1).map { presses.take(.next, $0, isWalkedByHolds: false, at: .zero) }
        #expect(next == [true, true])
    }

    @Test(arguments: [(Gesture.select, false), (.undo, false), (.menu, true)])
    func theReleaseOfAPressThatBeganBeforeTheQuestionAnswersNothing(gesture: Gesture, counts: Bool) {
        var presses = RunPresses(.three)
        presses.begin(Self.press(), isTaken: false)
        presses.openQuestion()
        let release = presses.take(gesture, 0, isWalkedByHolds: false, at: .zero)
        presses.begin(Self.press(), isTaken: false)
        let next = presses.take(gesture, 0, isWalkedByHolds: false, at: .zero)
        #expect(release == counts && next)
    }

    @Test(arguments: [(0, false), (1, true)])
    func aButtonPressedAgainBeforeItsGestureWasNotLetGo(button: Int, counts: Bool) {
        var presses = RunPresses(.three)
        presses.begin(Self.press(), isTaken: false)
        presses.openQuestion()
        presses.begin(ButtonEvent(button: button, isPressed: true, time: .zero), isTaken: false)
        let release = presses.take(.select, 0, isWalkedByHolds: false, at: .zero)
        #expect(release == counts)
    }

    /// The other one made its gesture when it was pressed, and was down still: two fingers tap, until time is up.
    @Test func aPressThatMadeNoGestureIsNotHeldOver() {
        var presses = RunPresses(.three)
        presses.begin(ButtonEvent(button: 1, isPressed: true, time: .zero), isTaken: false)
        let first = presses.take(.next, 0, isWalkedByHolds: false, at: .zero)
        presses.begin(Self.press(), isTaken: false)
        for button in [1, 0] { presses.release(ButtonEvent(button: button, isPressed: false, time: .zero)) }
        presses.openQuestion()
        presses.begin(Self.press(), isTaken: false)
        let next = presses.take(.select, 0, isWalkedByHolds: false, at: .zero)
        #expect(first && next)
    }

    @Test func aHoldThatTremblesIntoTheNextQuestionMovesNothingThere() {
        var presses = RunPresses(.two)
        presses.begin(Self.press(), isTaken: false)
        presses.openQuestion()
        presses.begin(Self.press(), isTaken: false)
        let held = (1...2).map { presses.take(.previous, $0, isWalkedByHolds: true, at: .zero) }
        let release = presses.take(.previous, 0, isWalkedByHolds: true, at: .zero)
        presses.begin(Self.press(), isTaken: false)
        let next = presses.take(.previous, 1, isWalkedByHolds: true, at: .zero)
        #expect(held == [false, false] && !release && next)
    }

    @Test func thePressThatTurnedThePageIsOver() {
        var presses = RunPresses(.three)
        presses.begin(Self.press(), isTaken: false)
        let answer = presses.take(.next, 0, isWalkedByHolds: false, at: .zero)
        presses.openQuestion()
        presses.begin(Self.press(), isTaken: false)
        let next = presses.take(.next, 0, isWalkedByHolds: false, at: .zero)
        #expect(answer && next)
    }

    @Test func onTwoButtonsTheReleaseBehindAHoldThatMovedMeansNothing() {
        for walks in [true, false] {
            var presses = RunPresses(.two)
            presses.begin(Self.press(), isTaken: false)
            let moved = presses.take(.next, 1, isWalkedByHolds: walks, at: .zero)
            let release = presses.take(.previous, 0, isWalkedByHolds: walks, at: .zero)
            let next = presses.take(.previous, 0, isWalkedByHolds: walks, at: .zero)
            #expect(moved == walks && release == !walks && next)
        }
    }

    @Test(arguments: [(1_999, false), (2_000, true)]) func ofATakenPressOnlyALongHoldCounts(held: Int, counts: Bool) {
        var presses = RunPresses(.three)
        presses.begin(Self.press(), isTaken: true)
        let now = MonotonicTime.zero + .milliseconds(held)
        let cancel = presses.take(.cancel, 0, isWalkedByHolds: false, at: now)
        let menu = presses.take(.menu, 0, isWalkedByHolds: false, at: now)
        let other = presses.take(.select, 0, isWalkedByHolds: false, at: now)
        #expect(menu == counts && cancel == counts && !other)
    }

    /// Another button that is pressed meanwhile, or the finger that trembles, does not shorten the hold.
    @Test(arguments: [0, 1]) func aTakenHoldIsMeasuredFromItsFirstPress(button: Int) {
        var presses = RunPresses(.three)
        presses.begin(Self.press(), isTaken: true)
        if button == 0 { presses.release(ButtonEvent(button: 0, isPressed: false, time: .zero + .seconds(1))) }
        let again = MonotonicTime.zero + .milliseconds(1_200)
        presses.begin(ButtonEvent(button: button, isPressed: true, time: again), isTaken: true)
        let menu = presses.take(.menu, 0, isWalkedByHolds: false, at: .zero + .milliseconds(2_600))
        #expect(menu)
    }
}
