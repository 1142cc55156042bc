// SPDX-License-Identifier: Apache-2.0
import Base

extension BrokenPerformance {
    /// What these rows of the log leave of a run's performances, as in `BrokenRun`; `StudyCore` asks at a
    /// start.
    static func all(
        _ rows: [LeftRun.Row], at now: Moment, boot: String, isTrusted: Bool
    ) -> [String: BrokenPerformance] {
        Dictionary(grouping: rows) { $0.step ?? BrokenRun.unnamed }.compactMapValues {
            BrokenPerformance($0, at: now, boot: boot, isTrusted: isTrusted)
        }
    }

    /// Nil where there are no rows. The time the device was off follows from the monotonic clock within one
    /// boot, else from the wall clock where it is trusted; at most a day of it is counted.
    private init?(_ rows: [LeftRun.Row], at now: Moment, boot: String, isTrusted: Bool) {
        guard let newest = rows.last else { return nil }
        let off: Duration? =
            newest.stamp.bootID == boot
            ? now.monotonic - newest.stamp.monotonic : isTrusted ? now.instant - newest.stamp.wall : nil
        self.init(rows: rows.map(\.values), off: off.map { min($0, .seconds(86_400)) })
    }
}
