// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Measures the code that works per sample, per sentence or per event. `bench.py` starts it with the files that it reads.
@main struct Bench {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 4 else {
            print("usage: studyd-bench NMEA-FILE SCHEMA-FILE FOLDER; run 'make bench'")
            exit(2)
        }
        show(SampleBench.ring(), SampleBench.levels())
        for figure in try RecordingBench.all(in: words[3]) { show(figure) }
        try show(TextBench.nmea(words[1]), TextBench.schema(words[2]))
        try await show(StoreBench.eventLog(in: words[3], batch: 1), StoreBench.eventLog(in: words[3], batch: 100))
    }

    private static func show(_ figures: Figure...) {
        for figure in figures { print(figure.line) }
        fflush(nil)
    }
}
