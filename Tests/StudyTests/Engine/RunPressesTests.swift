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
        presses.turnPage()
        let held = (1...3).map { presses.take(.next, $0, isWalkedByHolds: false, at: .zero) }
        #expect(held == [false, false, false])
        let gesture = presses.take(.next, 0, isWalkedByHolds: false, at: .zero)
        #expect(gesture, "the gesture itself is of the question that is open now")
        let again = presses.take(.next, 1, isWalkedByHolds: false, at: .zero)
        #expect(again)
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
        let menu = presses.take(.menu, 0, isWalkedByHolds: false, at: now)
        let other = presses.take(.select, 0, isWalkedByHolds: false, at: now)
        #expect(menu == counts && !other)
    }
}
