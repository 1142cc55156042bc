// SPDX-License-Identifier: Apache-2.0
import SimulatedWorld
import Simulation
import Testing

@Test func aScriptIsRead() throws {
    let script = try WorldScript(
        "walk 60s;\trest\t0.5m # on a bench\n\nstill 2h;replay\nreplay 3s", recording: .seconds(42))
    #expect(
        script.segments == [
            WorldSegment(.walk, .seconds(60)), WorldSegment(.rest, .seconds(30)), WorldSegment(.still, .seconds(7200)),
            WorldSegment(.replay, .seconds(42)), WorldSegment(.replay, .seconds(3)),
        ])
}

@Test func aScriptMayHaveLinesOfWindows() throws {
    let script = try WorldScript("walk 60s # there\r\nstill 2s\r\n")
    #expect(script.segments == [WorldSegment(.walk, .seconds(60)), WorldSegment(.still, .seconds(2))])
    #expect(throws: WorldScriptError.self) { try WorldScript("walk 60s\r\nrun 5s") }
}

@Test(
    arguments: [
        ("", 1, .empty), ("# nothing", 1, .empty), ("walk 60s\nrun 5s", 2, .unknownActivity),
        ("walk 60s; rest", 1, .noDuration), ("walk 60", 1, .badDuration), ("walk -5s", 1, .badDuration),
        ("walk nans", 1, .badDuration), ("walk 99999h", 1, .badDuration), ("walk 5 s", 1, .tooManyWords),
        ("\nreplay", 2, .noRecording),
    ] as [(String, Int, WorldScriptError.Problem)])
func aBadScriptSaysWhere(_ text: String, _ line: Int, _ problem: WorldScriptError.Problem) {
    let error = #expect(throws: WorldScriptError.self) { try WorldScript(text) }
    #expect(error?.line == line && error?.problem == problem)
}

@Test func anUnknownActivityNamesTheKnownOnes() {
    let error = #expect(throws: WorldScriptError.self) { try WorldScript("run 5s") }
    #expect(
        error?.description == "world script, line 1, \"run 5s\": unknown activity; use "
            + "walk, rest, lie, still, turn, talk, tone, replay")
}
