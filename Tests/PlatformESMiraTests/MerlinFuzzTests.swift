// SPDX-License-Identifier: Apache-2.0
import MerlinFuzz
import Testing

@testable import PlatformESMira

/// The short form of `make fuzz`: made-up and damaged scripts; none may trap, and the same
/// run gives the same.
@Suite struct MerlinFuzzTests {
    @Test func noScriptEndsTheProgram() {
        var ended = 0
        for number in 0..<4_000 {
            var maker = ScriptMaker(number: number)
            let made = maker.script()
            guard let script = try? MerlinScript(number % 3 == 0 ? maker.damaged(made) : made) else { continue }
            let limits = MerlinLimits(steps: 20_000, memory: 1 << 20, calls: 100)
            let run = script.run(in: Evening(), limits: limits)
            if run.result != nil { ended += 1 }
            #expect((run.result == nil) == (run.problem != nil))
            if number % 8 == 0 { #expect("\(script.run(in: Evening(), limits: limits))" == "\(run)") }
        }
        #expect(ended > 400)
    }
}
