// SPDX-License-Identifier: Apache-2.0
import PlatformESMira

/// What a study's own scripts cost.
enum ScriptBench {
    /// Simple operations (a comparison, a sum, a product, an assignment) in a loop with variables, as often as a second lets them.
    static func merlin() throws -> Figure {
        let script = try MerlinScript(
            "t = 0; i = 0; while (i < 20000) { i = i + 1; t = t + i * 2; if (t > 1000000) t = 0; } t;")
        let limits = MerlinLimits(steps: 10_000_000, memory: 1 << 20, calls: 1)
        let rate = try Stopwatch.rate {
            guard script.run(in: Nobody(), limits: limits).result != nil else {
                throw BenchFault.nothingDecoded("Merlin")
            }
            return 20_000 * 7
        }
        return Figure(name: "Merlin", value: rate, unit: "operations/s", least: 1_000_000)
    }

    /// A script asks nothing here.
    private struct Nobody: MerlinSurroundings {
        let now: Int64 = 0
        let midnight: Int64 = 0
        let day = 0
        let language = "en"

        func answer(_ item: String) -> String? { nil }
        func addition(_ item: String, _ key: String) -> String? { nil }
        func fact(_ fact: MerlinFact) -> MerlinValue { .none }
        func hasVirtualItem(_ name: String) -> Bool { false }
        func isFillable(internalID: Int) -> Bool? { nil }
    }
}
