// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

@Suite struct SensorPauseTests {
    static let length = Duration.seconds(1_800)

    private static func bench(_ panel: Panel) -> PanelBench {
        var panel = panel
        panel.pause = length
        return PanelBench(panel, tasks: [PanelSessionTests.survey, PanelSessionTests.yesNo])
    }

    private static func spans(_ bench: PanelBench) -> [(span: Range<MonotonicTime>, byHand: Bool?)] {
        bench.effects.compactMap { effect in
            switch effect {
            case .pauseSensors(let span): (span, nil)
            case .resumeSensors(let span, let byHand): (span, byHand)
            default: nil
            }
        }
    }

    @Test(arguments: PanelFixtures.panels) func itEndsByItselfAndSaysSoAtItsStartWhileItLastsAndAtItsEnd(_ panel: Panel)
    {
        var bench = Self.bench(panel)
        bench.send(.recording(true))
        bench.reach(.pause(true))
        #expect(bench.session.isPaused && bench.session.isIdle)
        #expect(
            bench.effects.contains {
                if case .device(.signal(let plan)) = $0 { plan.cues.contains(.pauseBegins) } else { false }
            })
        bench.effects = []
        bench.wait(.seconds(60))
        #expect(Set(bench.told) == [.paused])
        bench.wait(Self.length)
        #expect(!bench.session.isPaused && bench.told.contains(.pauseEnds) && bench.told.last == .recording)
        let spans = Self.spans(bench)
        #expect(spans.count == 1 && spans[0].byHand == false)
        #expect(spans[0].span.upperBound - spans[0].span.lowerBound == Self.length)
    }

    /// A pause of before a restart, on a panel that has none any more: its item goes from the open menu. At every
    /// item, and whatever is pressed then.
    @Test(arguments: PanelFixtures.panels, [0, 1, 2, 3, 4]) func itEndsWhileTheMenuIsOpen(_ panel: Panel, _ item: Int) {
        for gesture in [Gesture.next, .previous, .select] {
            var bench = PanelBench(panel, tasks: [PanelSessionTests.yesNo])
            bench.session = PanelSession(
                panel, cards: CardIndex([PanelSessionTests.yesNo]), pause: .zero..<(.zero + .seconds(40)), at: .zero)
            bench.press(.menu)
            for _ in 0..<item { bench.press(.next) }
            guard case .menu(let ring) = bench.session.state else {
                Issue.record("the menu is not open")
                return
            }
            #expect(bench.session.menu.count == 5)
            let shown = bench.session.menu[ring.index]
            bench.wait(.zero + .seconds(40) - bench.now)
            #expect(bench.session.menu.count == 4 && !bench.session.isPaused)
            guard case .menu(let kept) = bench.session.state else {
                Issue.record("the menu was left")
                return
            }
            #expect(kept.count == 4 && bench.session.menu[kept.index] == (shown == .pause ? .back : shown))
            bench.press(gesture)
        }
    }

    @Test(arguments: PanelFixtures.panels) func theParticipantEndsItSooner(_ panel: Panel) {
        var bench = Self.bench(panel)
        bench.reach(.pause(true))
        bench.wait(.seconds(300))
        bench.reach(.pause(false))
        #expect(!bench.session.isPaused)
        let spans = Self.spans(bench)
        #expect(spans.map(\.byHand) == [nil, true])
        let length = spans[1].span.upperBound - spans[1].span.lowerBound
        #expect(
            spans[1].span.lowerBound == spans[0].span.lowerBound && length >= .seconds(300) && length < .seconds(400))
        // A second one is as long as the first.
        bench.reach(.pause(true))
        #expect(bench.session.pauseEnd.map { $0 - bench.now > .seconds(1_700) } == true)
    }

    @Test func anEndWithinATaskIsToldBehindIt() {
        var bench = Self.bench(.reference)
        bench.reach(.pause(true))
        bench.wait(Self.length - .seconds(30))
        bench.send(.listItems([ListItem(id: "survey", name: "survey")]))
        bench.reach(.openItem("survey"))
        bench.wait(.seconds(40))
        #expect(bench.session.isRunning && !bench.session.isPaused && !bench.told.contains(.pauseEnds))
        #expect(Self.spans(bench).last?.byHand == false)
        bench.reach(.leaveRun)
        #expect(
            bench.effects.contains {
                if case .device(.signal(let plan)) = $0 { plan.cues.contains(.pauseEnds) } else { false }
            })
    }

    @Test func aRestartContinuesItAndABoardWithoutItDoesNotOfferIt() {
        var panel = Panel.reference
        panel.pause = Self.length
        var session = PanelSession(
            panel, cards: CardIndex([]), pause: MonotonicTime.zero..<MonotonicTime.zero + .seconds(90),
            at: .zero + .seconds(20))
        #expect(session.isPaused && session.wake.map { $0 <= MonotonicTime.zero + .seconds(90) } == true)
        let effects = session.handle(.tick, at: .zero + .seconds(90))
        #expect(!session.isPaused && effects.contains { if case .resumeSensors(_, false) = $0 { true } else { false } })
        // One that was over while the device was off ends at once.
        var late = PanelSession(
            panel, cards: CardIndex([]), pause: MonotonicTime.zero..<MonotonicTime.zero + .seconds(5),
            at: .zero + .seconds(5))
        _ = late.handle(.tick, at: .zero + .seconds(5))
        #expect(!late.isPaused)
        #expect(!PanelSession(.reference, cards: CardIndex([]), at: .zero).menu.contains(.pause))
    }
}
