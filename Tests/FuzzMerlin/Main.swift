// SPDX-License-Identifier: Apache-2.0
import Glibc
import PlatformESMira

/// Made-up and damaged scripts for the interpreter. A trap ends the program; the last line
/// says where it was.
@main struct MerlinFuzz {
    static func main() {
        guard let count = CommandLine.arguments.dropFirst().first.flatMap({ Int($0) }), count > 0 else {
            print("usage: MerlinFuzz EXECUTIONS")
            exit(2)
        }
        let evening = Evening()
        let limits = MerlinLimits(steps: 3_000, memory: 1 << 20, calls: 100)
        var (read, ended) = (0, 0)
        for number in 0..<count {
            if number % 100_000 == 0 { message("at execution \(number)\n") }
            var maker = ScriptMaker(number: number)
            let made = maker.script()
            guard let script = try? MerlinScript(number % 3 == 0 ? maker.damaged(made) : made) else { continue }
            read += 1
            let run = script.run(in: evening, globals: .object([]), seed: UInt64(number), limits: limits)
            if run.result != nil { ended += 1 }
            if number % 16 == 0 { again(script, evening, run, number, limits) }
        }
        print("executions: \(count), of which read: \(read), without an error: \(ended); crashes: 0")
    }

    /// The same run gives the same, and its globals can be given to the next.
    private static func again(
        _ script: MerlinScript, _ evening: Evening, _ run: MerlinRun, _ number: Int, _ limits: MerlinLimits
    ) {
        let same = script.run(in: evening, globals: .object([]), seed: UInt64(number), limits: limits)
        guard "\(same)" == "\(run)" else {
            message("execution \(number) gives another result the second time\n")
            exit(1)
        }
        _ = script.run(in: evening, globals: run.globals, seed: UInt64(number), limits: limits)
    }

    private static func message(_ text: String) { write(2, text, text.utf8.count) }
}
