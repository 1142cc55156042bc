// SPDX-License-Identifier: Apache-2.0
import Glibc

/// `StudyCrash CRASHES`: half years of the three studies, at a time, until there were
/// that many crashes, and whether everything still held.
@main struct StudyCrash {
    static func main() async throws {
        let wanted = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000
        var (total, pair) = (0, 0)
        while total < wanted {
            defer { pair += 1 }
            let (seed, crashes) = (2 * pair, min(5000, max(300, (wanted - total) * 2 / 5)))
            // They share nothing.
            async let odd = live(seed + 1, .questions(), crashes: crashes)
            async let even = live(seed + 2, .kicks(), crashes: crashes)
            async let ruled = live(seed + 1, .rules(), crashes: crashes)
            for played in await [odd, even, ruled] {
                guard let played else { exit(1) }
                total += played
            }
        }
        print("\(total) crashes")
    }

    /// One half year; nil where something did not hold.
    private static func live(
        _ seed: Int, _ study: @autoclosure () throws -> TrialStudy, crashes: Int
    ) async -> Int? {
        do {
            let study = try study()
            var trial = try await CoreTrial(study, days: 182, seed: UInt64(seed))
            do {
                try await trial.play(crashes: crashes)
                try await trial.check()
            } catch {
                print("\(study.name): \(trial.tally.words)\nbroken: \(error)")
                return nil
            }
            print("\(study.name): \(trial.tally.words): nothing lost, nothing doubled, the log replayed is the same")
            return trial.tally.crashes
        } catch {
            print("broken: \(error)")
            return nil
        }
    }
}
