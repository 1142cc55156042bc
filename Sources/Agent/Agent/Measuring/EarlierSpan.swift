// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// A span in which the agent measured, and the time after it in which it did not: how many samples were due, and
/// what became of them. `Recovery` makes one of what an earlier start left, `SpanAccount` one at each orderly end.
/// Each moment belongs to one part of the drawing. Pure.
///
/// ```
///   measuring begins   first sample        last sample whole on the disk   last heard of   measuring begins again
///   ────────┬───────────────┬─────────────────────────────┬──────────────────────┬──────────────────┬────
///           └── starting ───┴── files: stored and lost ────┴── power cut ────────┴────── off ───────┘
/// ```
struct EarlierSpan: Sendable, Hashable {
    /// A file of it, open when it ended or sealed before.
    struct File: Sendable, Hashable {
        let measure: String
        /// CLOCK_MONOTONIC of the first sample.
        let start: MonotonicTime
        /// Of the last sample that is whole on the disk; `start` where none is.
        let end: MonotonicTime
        let stored: Int
        /// What it says it lost, within it or after its last sample; without what a power cut may
        /// have taken, which is counted by time.
        var lost = 0
        /// Samples per second, as measured over it; nil = unknown.
        var rate: Double?
    }

    /// The boot that the monotonic times belong to.
    let boot: String
    let start: MonotonicTime
    /// An orderly end, of which the accounts were written; nil = it was killed.
    var stop: MonotonicTime?
    let rates: [String: Double]
    var files: [File] = []
    /// When it was certainly alive, from heartbeats and rows.
    var signs: [MonotonicTime] = []
    /// Its end in UTC, where it was in another boot; nil where no reference ever vouched for that boot's clock.
    var endInstant: Instant?
    /// Rates that were measured before.
    var known: [String: Double] = [:]
    /// The pause of the sensors that was not over when it ended.
    var withheld: Range<MonotonicTime>?

    var end: MonotonicTime { stop ?? max(start, (signs + files.map(\.end)).max() ?? start) }

    /// What was due from its beginning, or from its orderly end, until `off` after its end.
    func accounts(off: Duration) -> [SampleAccount] {
        rates.sorted { $0.key < $1.key }.map { measure, nominal in
            let own = files.filter { $0.measure == measure }
            let rate = rate(of: own, known[measure], nominal)
            guard stop == nil else {
                return SampleAccount(
                    measure: measure, rate: rate, seconds: off.seconds, lost: [SampleAccount.off: off.seconds],
                    inFiles: 0)
            }
            let first = own.map(\.start).min() ?? end
            // Up to the start of a file without a sample everything is counted as lost by the description of
            // the file before it: the power cut begins there.
            let stored = own.map { $0.stored > 0 ? $0.end + .seconds(1 / rate) : $0.start }.max() ?? first
            let (before, behind) = (paused(start, first), paused(stored, end))
            return SampleAccount(
                measure: measure, rate: rate, seconds: (end - start + off).seconds,
                lost: [
                    SampleAccount.starting: (first - start).seconds - before,
                    SampleAccount.powerCut: (end - stored).seconds - behind,
                    "\(LossReason.privacy)": before + behind, SampleAccount.off: off.seconds,
                    SampleAccount.betweenFiles: silence(between: own, rate),
                ], inFiles: own.reduce(0) { $0 + $1.stored + $1.lost })
        }
    }

    /// Seconds of the pause between those two.
    private func paused(_ from: MonotonicTime, _ to: MonotonicTime) -> Double {
        guard let withheld else { return 0 }
        return max(0, (min(to, withheld.upperBound) - max(from, withheld.lowerBound)).seconds)
    }

    /// Seconds in no file: a silence that outlasted a file is in no description, and the process
    /// that saw it is gone.
    private func silence(between files: [File], _ rate: Double) -> Double {
        let files = files.filter { $0.stored > 0 }.sorted { $0.start < $1.start }
        return zip(files, files.dropFirst()).reduce(0) { sum, pair in
            let seconds = (pair.1.start - pair.0.end).seconds - Double(pair.0.lost + 1) / rate
            return seconds > Self.shortestSilence ? sum + seconds : sum
        }
    }

    /// Between two files that follow each other lies a sample's period; times are known to
    /// some milliseconds.
    private static let shortestSilence = 0.5

    /// As measured over the longest file of this span that is long enough; else as measured before;
    /// else by the times that the chip's samples bear in the longest file.
    private func rate(of files: [File], _ known: Double?, _ nominal: Double) -> Double {
        func longest(_ files: [File]) -> (file: File, length: Duration)? {
            files.max { $0.end - $0.start < $1.end - $1.start }.map { ($0, $0.end - $0.start) }
        }
        if let (file, length) = longest(files.filter { $0.rate != nil }), let rate = file.rate, length > .seconds(10) {
            return SampleAccount.rate(rate, nominal: nominal)
        }
        if let known { return SampleAccount.rate(known, nominal: nominal) }
        guard let (file, length) = longest(files), file.stored > 100, length > .seconds(2) else { return nominal }
        if let rate = file.rate { return SampleAccount.rate(rate, nominal: nominal) }
        return SampleAccount.rate(Double(file.stored - 1) / length.seconds, nominal: nominal)
    }
}
