// SPDX-License-Identifier: Apache-2.0
import Base

/// A count in the event log, written by `KickCounterStep` and read by it after a restart: a row for its first
/// press, one for each kick, and one for an end that was no kick or was taken back.
extension KickCounter.Progress {
    /// Kicks so far, seconds `elapsed`, the `last` kick's second, the one at which the count `ended`, `restarts`,
    /// `uncertain` 0 or 1.
    var row: TaskProgress {
        var values = [
            "kicks": Double(kicks.count), "elapsed": elapsed.seconds, "restarts": Double(restarts),
            "uncertain": isTimeUncertain ? 1 : 0,
        ]
        values["last"] = kicks.last?.seconds
        values["ended"] = ended?.seconds
        return TaskProgress(name: "kicks", values: values)
    }

    /// What was kept last; nil where the log has no row of it.
    init?(_ broken: BrokenPerformance) {
        guard let newest = broken.rows.last else { return nil }
        var kicks: [Duration] = []
        // The first row has no kick yet, also where the question was asked again in the same run; a row that
        // repeats a number of kicks adds none; one with a kick less took back the kick that had ended the count.
        for row in broken.rows {
            if row["kicks"] == 0 { kicks = [] }
            if !kicks.isEmpty, row["kicks"] == Double(kicks.count - 1) { kicks.removeLast() }
            guard let last = row["last"], row["kicks"] == Double(kicks.count + 1) else { continue }
            kicks.append(Self.duration(last))
        }
        self.init(
            kicks: kicks, elapsed: Self.duration(newest["elapsed"] ?? 0),
            ended: newest["ended"].map { Self.duration($0) },
            restarts: Int(exactly: newest["restarts"] ?? 0) ?? 0,
            isTimeUncertain: newest["uncertain"] == 1)
    }

    /// Seconds of a row, limited so that a damaged row cannot overflow.
    private static func duration(_ seconds: Double) -> Duration {
        .nanoseconds(Int64((min(max(seconds, 0), 1e6) * 1e9).rounded()))
    }
}
