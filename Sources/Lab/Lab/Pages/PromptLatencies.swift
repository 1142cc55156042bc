// SPDX-License-Identifier: Apache-2.0
import Base

/// From prompt to answer. A module that is always open (sticky) names the alert of its first day
/// with each answer, however much later that is given, and an alert from before the enrolment was
/// never given: such answers are counted, and say nothing of how long a participant
/// takes. Pure.
struct PromptLatencies: Sendable, Hashable {
    /// Sorted.
    private let latencies: [Duration]
    /// Answers that no prompt of the 24 hours before them asked for.
    let unprompted: Int

    private static let longest = Duration.seconds(86_400)

    /// Of these answers; `enrolled` is nil where it is unknown.
    init(_ answers: [StoredRecord], since enrolled: Instant?) {
        let once = answers.filter { $0.duplicateOf == nil && $0.latency != nil }
        // Two answers to one alert: the module stays open.
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
