// SPDX-License-Identifier: Apache-2.0
import Base

/// The mean rate of samples over stretches without a gap, from the times of their ends, for `SampleTimeline`.
/// Pure.
///
/// This is the chip's rate over a whole file, while a regression over the last minutes gives its
/// present rate. The error is that of the ends' times over their distance; it holds whatever the
/// rate did in between.
struct RateMeter: Sendable {
    private struct End {
        var index: Int64
        var time: MonotonicTime
        var error: Duration
    }

    /// Sums over the stretches that `cut` has ended; `endErrors` in seconds.
    private var samples = 0.0
    private var seconds = 0.0
    private var endErrors = 0.0
    private var first: End?
    private var last: End?

    /// Samples are to be added in order; `error` is how far off `time` may be, one side.
    mutating func add(_ index: Int64, at time: MonotonicTime, error: Duration) {
        let end = End(index: index, time: time, error: error)
        // The early samples of a start are known badly, and a stretch is better without them.
        if let start = first, start.error.nanoseconds > 4 * error.nanoseconds, time - start.time < .seconds(60) {
            first = end
        }
        first = first ?? end
        last = end
    }

    /// Ends the stretch; the next sample begins another.
    mutating func cut() {
        (samples, seconds, endErrors) = sums
        (first, last) = (nil, nil)
    }

    /// Samples per second; nil before two samples of one stretch.
    var rate: Double? { sums.seconds > 0 ? sums.samples / sums.seconds : nil }
    /// The expected error of `rate`, one side.
    var rateError: Double? { rate.map { $0 * sums.endErrors / sums.seconds } }

    private var sums: (samples: Double, seconds: Double, endErrors: Double) {
        guard let first, let last, last.index > first.index else { return (samples, seconds, endErrors) }
        return (
            samples + Double(last.index - first.index), seconds + (last.time - first.time).seconds,
            endErrors + (first.error + last.error).seconds
        )
    }
}
