// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study
@testable import studyd_tools

/// Players press the simulated keys; what comes out of the keys' pipe is pressed on a panel with a study.
@Suite struct DemoPlayerTests {
    /// A prompt after two minutes, and a task that stays in the list.
    private static func bench() throws -> DemoBench {
        let steps = [DemoBench.yesNo("y"), DemoBench.choice("c", isMultiple: false)]
        return try DemoBench([DemoBench.task("t", steps, at: [2]), DemoBench.task("s", steps)])
    }

    /// Plays until that many minutes after the start. What the player wished, without repetitions.
    private static func play(
        _ player: any DemoPlayer, _ keys: PressedKeys, _ bench: inout DemoBench, until minutes: Int
    ) throws -> [DemoRequest] {
        var wishes: [DemoRequest] = []
        while bench.now.monotonic < MonotonicTime.zero + .seconds(minutes * 60) {
            let wish = try player.play(bench.conductor, at: bench.now)
            if wishes.last != wish { wishes.append(wish) }
            bench.follow(keys.edges())
            bench.wait(.milliseconds(800))
        }
        return wishes
    }

    @Test func aPressIsDownAndUpOnTheKeyOfItsButton() throws {
        let keys = try PressedKeys(DemoBench.board())
        for button in 0..<3 {
            keys.buttons.press(button, at: at(5), for: .milliseconds(120))
            let edges = keys.edges()
            #expect(edges.map(\.button) == [button, button] && edges.map(\.isPressed) == [true, false])
            #expect(edges.map(\.time) == [at(5), at(5.12)])
        }
        keys.buttons.press(3, at: at(5), for: .milliseconds(120))
        #expect(keys.edges().isEmpty, "there is no such button")
    }

    /// Without wishes what stays in the list is opened once, after the first answer; wishes are followed in turn,
    /// and nothing else is opened.
    @Test(
        arguments: [
            (nil, ["t", "s"]), ([], ["t"]), (["s"], ["s", "t"]), (["x"], ["t"]), (["x", "s"], ["t"]),
        ] as [([String]?, [String])])
    func aScriptOpensWhatItWishes(wishes: [String]?, submitted: [String]) throws {
        var bench = try Self.bench()
        let keys = try PressedKeys(bench.board)
        let player = ScriptedParticipant(
            Participant(latency: .seconds(5)), panel: bench.panel, buttons: keys.buttons, wishes: wishes)
        #expect(try player.play(nil, at: bench.now) == .nothing, "no study, nothing to do")
        let wished = try Self.play(player, keys, &bench, until: 8)
        #expect(bench.submitted == submitted && !bench.hasLeft)
        #expect(Set(wished) == [.nothing, .busy] && player.jumpsByItself)
    }

    /// It comes between the decision to press and the press, which opens its task.
    @Test func aWishWhosePressAPromptTakesComesAfterIt() throws {
        var bench = try Self.bench()
        let keys = try PressedKeys(bench.board)
        let player = ScriptedParticipant(
            Participant(latency: .seconds(5)), panel: bench.panel, buttons: keys.buttons, wishes: ["s"])
        bench.wait(.milliseconds(119_700))
        #expect(try player.play(bench.conductor, at: bench.now) == .busy)
        bench.follow(keys.edges())
        #expect(bench.conductor.session.run?.opened.task.key == "t")
        _ = try Self.play(player, keys, &bench, until: 8)
        #expect(bench.submitted == ["t", "s"])
    }

    @Test func aScriptMayWishToLeave() throws {
        var bench = try Self.bench()
        let keys = try PressedKeys(bench.board)
        let player = ScriptedParticipant(
            Participant(latency: .seconds(5)), panel: bench.panel, buttons: keys.buttons, wishes: ["leave"])
        _ = try Self.play(player, keys, &bench, until: 2)
        #expect(bench.hasLeft && bench.submitted.isEmpty)
    }

    @Test(
        arguments: [
            ("s", 1, [.busy, .nothing]),
            ("t", 1, [.busy, .jumpTo(DemoBench.start + .seconds(120))]),
            ("t", 3, [.busy, .jumpTo(DemoBench.start + .seconds(120)), .busy, .nothing]),
            ("x", 1, [.busy, .neverOpens, .nothing]),
        ] as [(String, Int, [DemoRequest])])
    func aTaskIsOpenedWhenItCanBe(task: String, minutes: Int, wishes: [DemoRequest]) throws {
        var bench = try Self.bench()
        let keys = try PressedKeys(bench.board)
        let player = TaskOpener(task, panel: bench.panel, buttons: keys.buttons, then: nil)
        #expect(try Self.play(player, keys, &bench, until: minutes) == wishes)
        let isOpen = wishes == [.busy, .nothing] || minutes > 2
        #expect(bench.conductor.session.run?.opened.task.key == (isOpen ? task : nil))
        #expect(bench.submitted.isEmpty)
    }

    /// As schema's `unlock_after` has it; "t" is due after two minutes.
    @Test func whatATaskWaitsForIsNamedAndDoneBeforeIt() throws {
        let steps = [DemoBench.yesNo("y"), DemoBench.choice("c", isMultiple: false)]
        var bench = try DemoBench([
            DemoBench.task("t", steps, at: [2], unlocked: Completed(["s"])), DemoBench.task("s", steps),
        ])
        let keys = try PressedKeys(bench.board)
        let script = ScriptedParticipant(
            Participant(latency: .seconds(5)), panel: bench.panel, buttons: keys.buttons, wishes: [])
        let player = TaskOpener("t", panel: bench.panel, buttons: keys.buttons, then: script)
        let wishes = try Self.play(player, keys, &bench, until: 8)
        #expect(wishes.count { $0 == .opensFirst("Evening") } == 1 && !wishes.contains(.neverOpens))
        #expect(bench.submitted == ["s", "t"])
    }
}
