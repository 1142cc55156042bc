// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// On three buttons the middle one opens the menu at 2.5 s (docs/panel.md); the others open none.
@Suite struct HeldPressesTests {
    private static func edge(_ button: Int, _ isPressed: Bool, _ milliseconds: Int) -> ButtonEvent {
        ButtonEvent(button: button, isPressed: isPressed, time: .zero + .milliseconds(milliseconds))
    }

    private static func taken(_ edges: [ButtonEvent]) -> [[ButtonEvent]] {
        var presses = HeldPresses(.reference)
        return edges.map { presses.take($0) }
    }

    @Test func whereNoHoldIsPossibleAPressCountsAtOnce() {
        let edges = [Self.edge(0, true, 5), Self.edge(0, false, 9_000)]
        #expect(Self.taken(edges) == [[edges[0]], []])
    }

    @Test(arguments: [(60, true), (2_499, true), (2_500, false), (6_000, false), (9_000, false)])
    func elseItCountsAtItsReleaseUnlessThatOpensTheMenu(held: Int, counts: Bool) {
        let edges = [Self.edge(1, true, 5), Self.edge(1, false, 5 + held)]
        #expect(Self.taken(edges) == [[], counts ? [edges[0]] : []])
    }

    @Test func aPressThatAnotherFollowsCountsBeforeIt() {
        let edges = [Self.edge(1, true, 5), Self.edge(0, true, 90), Self.edge(1, false, 95)]
        #expect(Self.taken(edges) == [[], [edges[0], edges[1]], []])
        let lost = [Self.edge(1, true, 5), Self.edge(1, true, 90), Self.edge(1, false, 95)]
        #expect(Self.taken(lost) == [[], [lost[0]], [lost[1]]])
    }

    @Test func whatIsDroppedCountsForNothing() {
        var presses = HeldPresses(.reference)
        _ = presses.take(Self.edge(1, true, 5))
        #expect(presses.menuTime == .zero + .milliseconds(2_505))
        presses.drop()
        let late = presses.take(Self.edge(1, false, 9))
        #expect(late.isEmpty && presses.menuTime == nil)
    }
}
