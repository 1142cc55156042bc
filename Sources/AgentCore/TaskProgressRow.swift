// SPDX-License-Identifier: Apache-2.0
import Store
import StudyEngine
import Times

/// How a kick counter's progress stands in the event log: a row for its first press, and one for each kick.
enum TaskProgressRow {
    /// The event's own name.
    static let name = "kicks"

    /// `kicks` so far, seconds `elapsed`, the `last` kick's second, `restarts`, `uncertain` 0 or 1.
    static func values(_ progress: KickCounter.Progress) -> [String: Double] {
        var values = [
            "kicks": Double(progress.kicks.count), "elapsed": seconds(progress.elapsed),
            "restarts": Double(progress.restarts), "uncertain": progress.isTimeUncertain ? 1 : 0,
        ]
        values["last"] = progress.kicks.last.map(seconds)
        return values
    }

    /// Where the counter goes on now; nil where no row is left of it. The time the device was off follows from the monotonic
    /// clock within one boot, else from the wall clock where it is trusted.
    static func progress(
        _ rows: [(values: [String: Double], stamp: EventStamp)], at now: Moment, boot: String, isTrusted: Bool
    ) -> KickCounter.Progress? {
        guard let newest = rows.last else { return nil }
        var kicks: [Duration] = []
        for row in rows {
            guard let last = row.values["last"], Int(row.values["kicks"] ?? 0) == kicks.count + 1 else { continue }
            kicks.append(duration(last))
        }
        let isSameBoot = newest.stamp.bootID == boot
        let off: Duration? =
            isSameBoot
            ? now.monotonic - newest.stamp.monotonic : isTrusted ? now.instant - newest.stamp.wall : nil
        let kept = KickCounter.Progress(
            kicks: kicks, elapsed: duration(newest.values["elapsed"] ?? 0),
            restarts: Int(newest.values["restarts"] ?? 0),
            isTimeUncertain: newest.values["uncertain"] == 1)
        return kept.resumed(after: off.map { min($0, .seconds(86_400)) })
    }

    private static func seconds(_ duration: Duration) -> Double { Double(duration.nanoseconds) / 1e9 }
    private static func duration(_ seconds: Double) -> Duration {
        .nanoseconds(Int64((min(max(seconds, 0), 1e6) * 1e9).rounded()))
    }
}
