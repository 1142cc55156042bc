// SPDX-License-Identifier: Apache-2.0
import Base

/// How long a participant took from prompt to answer, for the `DeviceCard`. Pure.
///
/// Two kinds of answers say nothing about that and are only counted, as `unprompted`: those of a module that
/// is always open (sticky; every answer names the alert of its first day), and those to an alert from before
/// the enrolment, which never sounded.
struct PromptLatencies: Sendable, Hashable {
    /// Sorted.
    private let latencies: [Duration]
    /// Answers that no prompt of the 24 hours before them asked for.
    let unprompted: Int

    private static let longest = Duration.seconds(86_400)

    /// `enrolled` is when the participant joined; nil where that is unknown.
    init(_ answers: [StoredRecord], since enrolled: Instant?) {
        let once = answers.filter { $0.duplicateOf == nil && $0.latency != nil }
        // Two answers to one alert show that the module is always open.
        let alerts = Dictionary(grouping: once) { [$0.post["module_index"], $0.post["alert_time"]] }
        let open = Set(alerts.values.filter { $0.count > 1 }.compactMap { $0.first?.post["module_index"] })
        let prompted = once.filter { record in
            guard let alert = record.post.alertTime, let latency = record.latency else { return false }
            return !open.contains(record.post["module_index"] ?? "") && latency <= Self.longest
                && (enrolled.map { alert.instant >= $0 } ?? true)
        }
        latencies = prompted.compactMap(\.latency).sorted()
        unprompted = once.count - prompted.count
    }

    /// Nil without answers to prompts.
    var figures: (median: Duration, longest: Duration)? { latencies.last.map { (latencies[latencies.count / 2], $0) } }
}
