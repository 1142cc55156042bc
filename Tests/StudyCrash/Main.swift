// SPDX-License-Identifier: Apache-2.0
import Glibc

/// `StudyCrash CRASHES`: half a year of each study with so many crashes, and whether everything still held.
@main struct StudyCrash {
    static func main() async throws {
        let crashes = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000
        for (index, study) in try [TrialStudy.questions(), .kicks()].enumerated() {
            var trial = try await CoreTrial(study, days: 182, seed: UInt64(index + 1))
            do {
                try await trial.play(crashes: crashes / 2)
                try await trial.check()
            } catch {
                print("\(study.name): \(trial.tally.words)\nbroken: \(error)")
                exit(1)
            }
            print("\(study.name): \(trial.tally.words): nothing lost, nothing doubled, the log replayed is the same")
        }
    }
}
