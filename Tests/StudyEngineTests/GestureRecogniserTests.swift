// SPDX-License-Identifier: Apache-2.0
import Testing
import Times

@testable import StudyEngine

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
}
