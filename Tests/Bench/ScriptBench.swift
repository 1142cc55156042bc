// SPDX-License-Identifier: Apache-2.0
import PlatformESMira
import Study

/// What a study's own scripts cost.
enum ScriptBench {
    /// Simple operations (a comparison, a sum, a product, an assignment) in a loop with variables,
    /// as often as a second lets them.
    static func merlin() throws -> Figure {
        let script = try MerlinScript(
            "t = 0; i = 0; while (i < 20000) { i = i + 1; t = t + i * 2; if (t > 1000000) t = 0; } t;")
        let limits = MerlinLimits(steps: 10_000_000, memory: 1 << 20, calls: 1)
        let rate = try Stopwatch.rate {
            guard script.run(in: EmptyHost(), limits: limits).result != nil else {
                throw BenchFault.nothingDecoded("Merlin")
            }
            return 20_000 * 7
        }
        return Figure(name: "Merlin", value: rate, unit: "operations/s", least: 1_000_000)
    }

    /// A study of ESMira of 1 MB with 500 inputs, each with a script, read and validated.
    static func study() throws -> Figure {
        let bytes = Array(text(inputs: 500, size: 1_000_000).utf8)
        guard bytes.count >= 1_000_000 else { throw BenchFault.nothingDecoded("ESMira") }
        let perSecond = try Stopwatch.rate {
            try ESMiraReader().decode(StudySource(bytes)).tasks.isEmpty ? 0 : 1
        }
        return Figure(name: "ESMira decode of 1 MB with 500 inputs", value: 1 / perSecond, unit: "s", limit: 0.1)
    }

    /// Ten inputs a page, five pages a questionnaire; the rest of the size is what people read.
    private static func text(inputs: Int, size: Int) -> String {
        let words = String(
            repeating: "How much of this do you feel at this very moment? ", count: size / inputs / 50 + 1)
        func input(_ number: Int) -> String {
            #"{"name":"i\#(number)","responseType":"likert","likertSteps":7,"text":"<p>\#(words)</p>","relevance":"getQuestionnaireVar(\"i0\") != \#(number);"}"#
        }
        func page(_ start: Int) -> String {
            "{\"inputs\":[" + (start..<start + 10).map(input).joined(separator: ",") + "]}"
        }
        func questionnaire(_ start: Int) -> String {
            "{\"internalId\":\(10_000 + start),\"title\":\"Q\(start)\",\"pages\":["
                + stride(from: start, to: start + 50, by: 10).map(page).joined(separator: ",") + "]}"
        }
        return "{\"id\":1,\"version\":1,\"title\":\"Bench\",\"questionnaires\":["
            + stride(from: 0, to: inputs, by: 50).map(questionnaire).joined(separator: ",") + "]}"
    }

    /// A script asks nothing here.
    private struct EmptyHost: MerlinHost {
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
