// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

/// The ledger of samples against a count made outside the agent (`killed_ledger.py`), over kills of
/// the real process. `make ledger-test` is the same with 100 kills.
@Suite struct KilledLedgerTests {
    private static let isPossible: Bool = {
        guard access("/usr/bin/python3", X_OK) == 0 else {
            print(
                "SKIPPED: the ledger is not counted from outside, because /usr/bin/python3 is not there (Debian: python3)"
            )
            return false
        }
        return true
    }()

    @Test(.timeLimit(.minutes(20)), .enabled(if: isPossible)) func twelveKillsAreAccountedForToAHundredth() async throws
    {
        try await run("killed_ledger.py", "12")
    }

    /// `make ledger-test` is the same with 200 runs.
    @Test(.timeLimit(.minutes(20)), .enabled(if: isPossible)) func eightOrderlyEndsLeaveNothingUnaccountedFor()
        async throws
    {
        try await run("stopped_ledger.py", "8")
    }

    /// SIGTERM in the first moments of an agent's life.
    @Test(.timeLimit(.minutes(20)), .enabled(if: isPossible)) func whoeverIsStoppedWhileStartingEndsInOrder()
        async throws
    {
        try await run("early_stops.py", "24")
    }

    private func run(_ script: String, _ times: String) async throws {
        try await Stage.with { stage in
            let count = try stage.start([
                "/usr/bin/python3", Programs.package + "/Tests/ScenarioTests/" + script, Programs.studyd, times,
            ])
            let code = try await count.ended(within: .seconds(900))
            #expect(code == 0, "\(count.output)\(count.errors)")
        }
    }
}
