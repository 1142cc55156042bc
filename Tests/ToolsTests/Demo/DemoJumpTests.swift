// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study
@testable import studyd_tools

/// From where the clock of the demo is put forward, and to when.
@Suite struct DemoJumpTests {
    private static func bench() throws -> DemoBench {
        try DemoBench([DemoBench.task("t", [DemoBench.yesNo("y"), DemoBench.yesNo("z")], at: [10])])
    }

    private static let due = DemoBench.start + .seconds(600)

    /// Three seconds are left to see the prompt come; what comes within six is waited for.
    @Test(
        arguments: [
            (.seconds(600), true), (.milliseconds(6_001), true), (.seconds(6), false), (.seconds(1), false),
            (.zero, false),
        ] as [(Duration, Bool)])
    func theClockJumpsToShortlyBeforeThePrompt(before: Duration, jumps: Bool) throws {
        let jump = DemoJump(from: try Self.bench().conductor, at: Self.due - before)
        #expect(jump == (jumps ? .to(Self.due - .seconds(3)) : .refused(DemoPhrases.jumpSoon)))
    }

    @Test func itStaysWhereSomethingWaitsOrIsOpenOrNothingComes() throws {
        var bench = try Self.bench()
        func jump() -> DemoJump { DemoJump(from: bench.conductor, at: bench.now.instant) }
        bench.press(.menu)
        #expect(jump() == .refused(DemoPhrases.jumpBusy))
        bench.press(.undo)
        #expect(jump() == .to(Self.due - .seconds(3)))
        bench.wait(Self.due - bench.now.instant)
        #expect(jump() == .refused(DemoPhrases.jumpWaits))
        bench.press(.select)
        #expect(jump() == .refused(DemoPhrases.jumpBusy))
        bench.press(.next)
        bench.press(.next)
        bench.press(.select)
        #expect(bench.submitted == ["t"] && jump() == .refused(DemoPhrases.noPrompt))
        bench.send(.studyStatus("Paused", isPaused: true))
        #expect(jump() == .refused(DemoPhrases.studyPaused))
    }
}
