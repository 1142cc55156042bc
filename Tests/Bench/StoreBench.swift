// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Study

/// What becomes durable.
enum StoreBench {
    /// Rows into the event log with full synchronisation; `batch` rows share a transaction.
    static func eventLog(in folder: String, batch: Int) async throws -> Figure {
        let database = try StudyDatabase(.file("\(folder)/bench-\(batch).sqlite"))
        var time: Int64 = 0
        let rate = try await Stopwatch.rate {
            for _ in 0..<20 {
                let events = (0..<batch).map {
                    StudyEvent.pressed(button: 1, at: MonotonicTime(nanoseconds: time + Int64($0)))
                }
                time += 1_000_000_000
                let stamp = EventStamp(
                    wall: Instant(seconds: 1_795_251_600) + .nanoseconds(time),
                    monotonic: MonotonicTime(nanoseconds: time),
                    bootID: "bench", zoneOffset: 0, enrolment: "bench")
                try await database.append(events, at: stamp)
            }
            return 20 * batch
        }
        return Figure(
            name: "event log append, \(batch) per transaction", value: rate, unit: "rows/s")
    }
}
