// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// Buttons that are there for one thing: a task, or noting events.
@Suite struct BoundButtonTests {
    static func panel(_ names: [String], _ holdTimes: HoldTimes = .usual) throws -> Panel {
        var panel = try Panel(
            buttons: Panel.buttons(named: names + ["pain", "mark"], tasks: ["pain": "survey"], markers: ["mark"]),
            leds: [Panel.LED("light", .mono)], buzzer: .fixed)
        panel.holdTimes = holdTimes
        return panel
    }
    static let ordinary = [["a"], ["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d", "e"]]

    static func bench(_ panel: Panel) -> PanelBench {
        PanelBench(panel, tasks: [PanelSessionTests.survey, PanelSessionTests.yesNo])
    }

    private func edge(_ panel: Panel, _ name: String, _ isPressed: Bool, _ time: MonotonicTime) -> ButtonEvent {
        ButtonEvent(button: panel.buttons.firstIndex { $0.name == name } ?? -1, isPressed: isPressed, time: time)
    }

    private func marks(_ bench: PanelBench) -> [MonotonicTime] {
        bench.effects.compactMap { if case .marked(_, let time) = $0 { time } else { nil } }
    }

    @Test(arguments: ordinary) func theOthersHaveTheRolesTheyWouldHaveWithoutThem(_ names: [String]) throws {
        let panel = try Self.panel(names)
        #expect(panel.buttons.prefix(names.count).map(\.role) == Panel.buttons(named: names).map(\.role))
        #expect(panel.buttons.suffix(2).map(\.role) == [.task("survey"), .marker])
    }

    @Test(arguments: ordinary) func aTasksButtonOpensItByOnePressAndSaysWhereItCannot(_ names: [String]) throws {
        let panel = try Self.panel(names)
        var bench = Self.bench(panel)
        bench.send(.button(edge(panel, "pain", true, bench.now)))
        #expect(bench.session.run?.opened.task.key == "survey")
        var without = PanelBench(panel, tasks: [])
        without.send(.button(edge(panel, "pain", true, without.now)))
        #expect(without.session.isIdle && without.told.last == .nothingOpen)
    }

    @Test(arguments: ordinary) func aMarkIsTakenWhateverThePanelIsDoingAndChangesNothing(_ names: [String]) throws {
        let panel = try Self.panel(names)
        var bench = Self.bench(panel)
        func mark(_ bench: inout PanelBench) {
            bench.send(.button(edge(panel, "mark", true, bench.now)))
            bench.wait(.milliseconds(100))
            bench.send(.button(edge(panel, "mark", false, bench.now)))
        }
        mark(&bench)
        #expect(marks(bench) == [.zero] && bench.session.isIdle && bench.told.contains(.marked))
        bench.send(.promptDue(PanelSessionTests.prompt(PanelSessionTests.yesNo)))
        mark(&bench)
        #expect(bench.session.hasPrompt && bench.session.isIdle)
        bench.send(.listItems([ListItem(id: "survey", name: "survey")]))
        bench.reach(.openItem("survey"))
        let before = bench.session.run?.current?.key
        bench.effects = []
        mark(&bench)
        // The question's own signals go on.
        #expect(marks(bench).count == 1 && bench.session.run?.current?.key == before && bench.told.isEmpty)
        // Also while another button is held.
        bench.send(.button(edge(panel, "a", true, bench.now)))
        bench.wait(.milliseconds(50))
        mark(&bench)
        #expect(marks(bench).count == 2)
    }

    /// Any press ends a walk; a mark is none.
    @Test func aMarkIsNoPressOfAnOpenTask() throws {
        let panel = try Self.panel(["a", "b"])
        let walk = PanelFixtures.task(
            [Step(key: "walk", text: "Walk.", format: .active(TimedWalkTests.walk))], key: "walk")
        var bench = PanelBench(panel, tasks: [walk])
        bench.send(.listItems([ListItem(id: "walk", name: "walk")]))
        bench.reach(.openItem("walk"))
        var ends: [Bool] = []
        for name in ["b", "mark", "b"] {
            bench.wait(.seconds(2))
            bench.send(.button(edge(panel, name, true, bench.now)))
            bench.wait(.milliseconds(100))
            bench.effects = []
            bench.send(.button(edge(panel, name, false, bench.now)))
            ends.append(bench.told.contains(.recordingStopped))
        }
        #expect(ends == [false, false, true])
    }

    /// Tremor is 3 to 12 Hz (docs/panel.md): such a press is one event.
    @Test func aTremblingFingerMarksOnce() throws {
        for (holdTimes, count) in [(HoldTimes.usual, 5), (.slow, 1)] {
            let panel = try Self.panel(["a"], holdTimes)
            var bench = Self.bench(panel)
            for _ in 0..<5 {
                bench.send(.button(edge(panel, "mark", true, bench.now)))
                bench.wait(.milliseconds(80))
                bench.send(.button(edge(panel, "mark", false, bench.now)))
                bench.wait(.milliseconds(80))
            }
            #expect(marks(bench).count == count, "\(holdTimes)")
            bench.wait(.seconds(1))
            bench.send(.button(edge(panel, "mark", true, bench.now)))
            #expect(marks(bench).count == count + 1)
        }
    }

    @Test func theCardSheetNamesBoth() throws {
        let study = Sample.study([PanelSessionTests.survey])
        let html = CardSheet(study, panel: try Self.panel(["a", "b", "c"])).html
        #expect(html.contains("Press PAIN</th><td>survey<") && html.contains("Press MARK</th><td>note that"))
        let signal = CardSheet(study, panel: .reference).html
        #expect(html.contains("event noted") && !signal.contains("event noted"))
    }
}
