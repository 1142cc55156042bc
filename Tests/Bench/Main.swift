// SPDX-License-Identifier: Apache-2.0
import Device
import Glibc
import SystemKit

/// Measures the code that works per sample, per sentence or per event. `bench.py` starts it with
/// the files that it reads.
@main struct Bench {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 4 else {
            print(
                "usage: studyd-bench NMEA-FILE SCHEMA-FILE FOLDER, studyd-bench --loads NMEA-FILE FOLDER, studyd-bench --archive CERTIFICATE FOLDER, studyd-bench --delivery URL FOLDER, or studyd-bench --past RECORDINGS FOLDER; run 'make bench'"
            )
            exit(2)
        }
        if words[1] == "--loads" { return try loads(words[2], words[3]) }
        if words[1] == "--archive" {
            for figure in try ArchiveBench.figures(in: words[3], certificate: words[2]) { show(figure) }
            return
        }
        if words[1] == "--delivery" {
            show(try DeliveryBench.signing(), try await DeliveryBench.delay(of: words[2], filesIn: words[3]))
            return show(try await DeliveryBench.delivery(to: words[2], filesIn: words[3]))
        }
        if words[1] == "--past" { return try await PastBench.write(recordings: Int(words[2]) ?? 0, in: words[3]) }
        show(SampleBench.ring(), SampleBench.levels(), SampleBench.thirdOctaves())
        for figure in try RecordingBench.all(in: words[3]) { show(figure) }
        for figure in try FeatureBench.all() { show(figure) }
        for figure in try DecisionBench.all(words[3] + "/day.cwa") { show(figure) }
        for figure in try AgeBench.figures() { show(figure) }
        try show(TextBench.nmea(words[1]), TextBench.schema(words[2]), ScriptBench.merlin(), ScriptBench.study())
        try await show(StoreBench.eventLog(in: words[3], batch: 1), StoreBench.eventLog(in: words[3], batch: 100))
    }

    /// In a separate process, before which the counter of allocations can be loaded.
    private static func loads(_ log: String, _ folder: String) throws {
        let file = try File(log, .read)
        let nmea = try file.read(try file.size(), at: 0)
        for figure in WakeUpBench.figures() + SampleBench.ringAllocations() { show(figure) }
        let threads = try ThreadsBench(in: folder + "/threads", nmea: nmea)
        for figure in try threads.figures() { show(figure) }
        for plan in [LoadPlan.reference, .heavy] {
            let bench = try LoadBench(plan, in: folder + "/" + plan.name, nmea: nmea)
            for figure in try bench.figures() { show(figure) }
        }
    }

    private static func show(_ figures: Figure...) {
        for figure in figures { print(figure.line) }
        fflush(nil)
    }
}
