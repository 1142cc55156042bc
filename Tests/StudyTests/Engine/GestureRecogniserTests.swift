// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

struct GestureRecogniserTests {
    static func at(_ milliseconds: Int) -> MonotonicTime { .zero + .milliseconds(milliseconds) }

    /// What a hold of that length gives, ticked whenever the recogniser wants.
    static func hold(_ button: Int, for milliseconds: Int, on panel: Panel) -> [GestureRecogniser.Recognised] {
        var recogniser = GestureRecogniser(panel)
        var result = recogniser.handle(ButtonEvent(button: button, isPressed: true, time: at(0)))
        while let wake = recogniser.wake, wake <= at(milliseconds) { result += recogniser.tick(at: wake) }
        return result + recogniser.handle(ButtonEvent(button: button, isPressed: false, time: at(milliseconds)))
    }

    static let cases: [(Int, Gesture)] = [
        (20, .next), (599, .next), (600, .select), (1_499, .select), (1_500, .undo), (3_000, .menu), (5_999, .menu),
        (6_000, .cancel), (60_000, .cancel),
    ]

    @Test(arguments: cases) func oneButtonMeansMoreTheLongerItIsHeld(_ milliseconds: Int, _ gesture: Gesture) {
        let recognised = Self.hold(0, for: milliseconds, on: PanelFixtures.one)
        #expect(recognised.last == .gesture(gesture, repeats: 0))
        let levels = recognised.compactMap { if case .held(let level, _) = $0 { level } else { nil } }
        #expect(levels == Array(1..<max(recognised.count, 1)))
    }

    // MARK: - Slow hands

    static func slow(_ panel: Panel) -> Panel {
        var panel = panel
        panel.holdTimes = .slow
        return panel
    }

    /// Edges in milliseconds, down and up in turn; what they give, and when.
    static func gestures(
        _ edges: [(button: Int, isPressed: Bool, at: Int)], on panel: Panel
    ) -> [(gesture: Gesture, repeats: Int, at: Int)] {
        var recogniser = GestureRecogniser(panel)
        var made: [(Gesture, Int, Int)] = []
        func take(_ recognised: [GestureRecogniser.Recognised], _ time: MonotonicTime) {
            for case .gesture(let gesture, let repeats) in recognised {
                made.append((gesture, repeats, Int((time - .zero).milliseconds)))
            }
        }
        for edge in edges + [(-1, false, 60_000)] {
            while let wake = recogniser.wake, wake <= at(edge.at) { take(recogniser.tick(at: wake), wake) }
            take(
                recogniser.handle(ButtonEvent(button: edge.button, isPressed: edge.isPressed, time: at(edge.at))),
                at(edge.at))
        }
        return made
    }

    @Test(arguments: [
        (20, Gesture.next), (1_499, .next), (1_500, .select), (3_749, .select), (3_750, .undo), (7_500, .menu),
        (15_000, .cancel),
    ]) func slowHandsHaveTwoAndAHalfTimesAsLong(_ milliseconds: Int, _ gesture: Gesture) {
        let made = Self.gestures([(0, true, 0), (0, false, milliseconds)], on: Self.slow(PanelFixtures.one))
        #expect(made.map(\.gesture) == [gesture] && made.map(\.at) == [milliseconds + 300])
    }

    /// A finger at 3 Hz leaves the button for less than a third of a second; who means two
    /// presses takes longer.
    @Test func aTremblingFingerIsOnePress() {
        let panel = Self.slow(PanelFixtures.one)
        let trembling = [
            (0, true, 0), (0, false, 60), (0, true, 230), (0, false, 300), (0, true, 590), (0, false, 800),
        ]
        #expect(Self.gestures(trembling, on: panel).map(\.at) == [1_100])
        #expect(Self.gestures(trembling, on: PanelFixtures.one).count == 3)
        // Held on through the trembling it means what the whole hold means.
        let held = [(0, true, 0), (0, false, 900), (0, true, 1_100), (0, false, 2_000)]
        #expect(Self.gestures(held, on: panel).map(\.gesture) == [.select])
        let twice = [(0, true, 0), (0, false, 100), (0, true, 400), (0, false, 500)]
        #expect(Self.gestures(twice, on: panel).map(\.at) == [400, 800])
    }

    @Test func buttonsThatActOnThePressActOnceAndRepeatLater() {
        let panel = Self.slow(.reference)
        let trembling = [(2, true, 0), (2, false, 80), (2, true, 300), (2, false, 380)]
        #expect(Self.gestures(trembling, on: panel).map(\.at) == [0])
        let held = Self.gestures([(2, true, 0), (2, false, 2_100)], on: panel)
        #expect(held.map(\.at) == [0, 1_500, 2_000] && held.map(\.repeats) == [0, 1, 2])
    }

    @Test func aFingerThatSlipsToTheNextButtonDoesNotPressIt() {
        let slipped = [(2, true, 0), (2, false, 100), (0, true, 200), (0, false, 260)]
        #expect(Self.gestures(slipped, on: Self.slow(.reference)).map(\.gesture) == [.next])
        #expect(Self.gestures(slipped, on: .reference).map(\.gesture) == [.next, .previous])
    }

    @Test func stepsAreFeltOnThePressAndRepeat() {
        let recognised = Self.hold(2, for: 1_050, on: .reference)
        #expect(recognised == (0...3).map { .gesture(.next, repeats: $0) })
    }

    @Test func aSecondButtonIsIgnoredWhileOneIsHeld() {
        var recogniser = GestureRecogniser(.reference)
        #expect(recogniser.handle(ButtonEvent(button: 1, isPressed: true, time: Self.at(0))).isEmpty)
        #expect(recogniser.handle(ButtonEvent(button: 2, isPressed: true, time: Self.at(50))).isEmpty)
        #expect(recogniser.handle(ButtonEvent(button: 2, isPressed: false, time: Self.at(90))).isEmpty)
        let last = recogniser.handle(ButtonEvent(button: 1, isPressed: false, time: Self.at(100)))
        #expect(last == [.gesture(.select, repeats: 0)])
    }

    @Test func lostEdgesDoNoHarm() {
        var recogniser = GestureRecogniser(.reference)
        #expect(recogniser.handle(ButtonEvent(button: 1, isPressed: false, time: Self.at(0))).isEmpty)
        #expect(recogniser.handle(ButtonEvent(button: 99, isPressed: true, time: Self.at(0))).isEmpty)
        #expect(recogniser.handle(ButtonEvent(button: -1, isPressed: true, time: Self.at(0))).isEmpty)
        _ = recogniser.handle(ButtonEvent(button: 2, isPressed: true, time: Self.at(0)))
        #expect(recogniser.tick(at: Self.at(10_000_000)).count == HoldTable.repeatLimit)
        #expect(recogniser.wake == nil)
        let again = recogniser.handle(ButtonEvent(button: 2, isPressed: true, time: Self.at(10_000_100)))
        #expect(again == [.gesture(.next, repeats: 0)])
    }

    /// docs/panel.md: one button has its levels at 0.6, 1.5, 3 and 6 seconds.
    @Test func itWakesForEachLevelInTurnAndNoFurther() {
        var recogniser = GestureRecogniser(PanelFixtures.one)
        #expect(recogniser.wake == nil)
        _ = recogniser.handle(ButtonEvent(button: 0, isPressed: true, time: Self.at(0)))
        var levels: [(at: MonotonicTime, told: Int)] = []
        while levels.count < 9, let wake = recogniser.wake { levels.append((wake, recogniser.tick(at: wake).count)) }
        #expect(levels.map(\.at) == [600, 1_500, 3_000, 6_000].map(Self.at) && levels.allSatisfy { $0.told == 1 })
    }
}
