// SPDX-License-Identifier: Apache-2.0
import Glibc

/// `StudyCrash CRASHES`: half years of one study and the other, until there were so many crashes, and whether everything still held.
@main struct StudyCrash {
    static func main() async throws {
        let wanted = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000
        var total = 0
        for life in 1... where total < wanted {
            let study = try life.isMultiple(of: 2) ? TrialStudy.kicks() : .questions()
            var trial = try await CoreTrial(study, days: 182, seed: UInt64(life))
            do {
                try await trial.play(crashes: min(wanted, 5000))
                try await trial.check()
            } catch {
                print("\(study.name): \(trial.tally.words)\nbroken: \(error)")
                exit(1)
            }
            print("\(study.name): \(trial.tally.words): nothing lost, nothing doubled, the log replayed is the same")
            total += trial.tally.crashes
            if total >= wanted { return print("\(total) crashes") }
        }
    }
}
