// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// On three buttons the middle one opens the menu at 2.5 s (docs/panel.md); the others open none.
@Suite struct MenuHoldTests {
    private static func at(_ milliseconds: Int) -> MonotonicTime { .zero + .milliseconds(milliseconds) }

    private static func edge(_ button: Int, _ isPressed: Bool, _ milliseconds: Int) -> ButtonEvent {
        ButtonEvent(button: button, isPressed: isPressed, time: at(milliseconds))
    }

    @Test(arguments: [(0, nil), (1, 2_550), (2, nil)] as [(Int, Int?)])
    func onlyAButtonThatCanOpenTheMenuIsWaitedFor(_ button: Int, _ wake: Int?) {
        var hold = MenuHold(.reference)
        hold.take(Self.edge(button, true, 0), results: 3)
        #expect(hold.wake == wake.map(Self.at))
        #expect(hold.mayTakeBack(4) == (wake != nil) && !hold.mayTakeBack(3))
        hold.take(Self.edge(button, false, 60), results: 4)
        #expect(hold.wake == nil && !hold.mayTakeBack(4))
    }

    @Test(arguments: [(2_499, nil), (2_500, 3)] as [(Int, Int?)])
    func fromItsTimeOnTheHoldOpensTheMenuOnce(_ milliseconds: Int, _ results: Int?) {
        var hold = MenuHold(.reference)
        hold.take(Self.edge(1, true, 0), results: 3)
        let first = hold.takeMenu(by: Self.at(milliseconds))
        #expect(first == results && (hold.wake == nil) == (results != nil))
        let second = hold.takeMenu(by: Self.at(2_500))
        #expect(second == (results == nil ? 3 : nil))
    }

    /// As in `GestureRecogniser`: the first button alone, and a spare one never.
    @Test(arguments: [(0, false), (2, false), (5, true)]) func aButtonThatIsDownAlreadyKeepsTheMenuShut(
        _ other: Int, opens: Bool
    ) {
        var hold = MenuHold(PanelFixtures.five)
        hold.take(Self.edge(other, true, 0), results: 0)
        hold.take(Self.edge(1, true, 10), results: 0)
        let opened = hold.takeMenu(by: Self.at(2_510))
        #expect((opened != nil) == opens)
    }

    @Test func aPressMeanwhileChangesNothing() {
        var hold = MenuHold(.reference)
        hold.take(Self.edge(1, true, 0), results: 3)
        hold.take(Self.edge(0, true, 900), results: 4)
        hold.take(Self.edge(0, false, 950), results: 4)
        let results = hold.takeMenu(by: Self.at(2_500))
        #expect(results == 3)
    }

    /// Slow hands: 6.25 s, and 0.3 s between two presses that are one.
    @Test(arguments: [(299, 6_250), (300, 7_550)]) func withinTheBridgeItGoesOn(gap: Int, opens: Int) {
        var panel = Panel.reference
        panel.holdTimes = .slow
        var hold = MenuHold(panel)
        hold.take(Self.edge(1, true, 0), results: 0)
        hold.take(Self.edge(1, false, 1_000), results: 1)
        #expect(hold.wake == Self.at(1_350) && hold.mayTakeBack(1))
        hold.take(Self.edge(1, true, 1_000 + gap), results: 1)
        let early = hold.takeMenu(by: Self.at(opens - 1))
        let results = hold.takeMenu(by: Self.at(opens))
        #expect(early == nil && results == (gap == 299 ? 0 : 1))
    }

    @Test(arguments: [(1_299, true), (1_300, false)]) func afterTheBridgeItIsOver(_ milliseconds: Int, isKept: Bool) {
        var panel = Panel.reference
        panel.holdTimes = .slow
        var hold = MenuHold(panel)
        hold.take(Self.edge(1, true, 0), results: 0)
        hold.take(Self.edge(1, false, 1_000), results: 1)
        let results = hold.takeMenu(by: Self.at(milliseconds))
        #expect(results == nil && hold.mayTakeBack(1) == isKept)
    }
}
