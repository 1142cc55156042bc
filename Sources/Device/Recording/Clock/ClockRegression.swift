// SPDX-License-Identifier: Apache-2.0
import Base

/// The line between a chip's sample count and CLOCK_MONOTONIC: the time of any sample, and the true rate.
/// `SampleTimeline` adds the stamps.
///
/// A stamp is never early, only late: the host sees a sample after the chip took it, by an
/// interrupt latency, a poll interval or a stall. So the line is the one that lies under all stamps
/// and as close to them as possible (the edge of their lower convex hull over their middle), which
/// late stamps do not move; a least-squares line would be late by the mean delay. Where the source
/// says by how much a stamp may be late, the slope is held within what those bounds allow, errors
/// follow from them alone, and a line that they refute (a chip that warms up) is fitted to the
/// newer stamps; where it does not, errors are computed from how the stamps scatter. Memory is
/// bounded: 128 stamps, each the least late of its stretch of time (0.25 s at first, 5 s in the
/// end), that is the last ten minutes, because a chip's rate drifts with its temperature.
package struct ClockRegression: Sendable {
    /// What a stamp says about the line so far.
    package enum Verdict: Sendable, Hashable {
        /// It lies on or a little above the line.
        case accepted
        /// So late that it was left out.
        case late
        /// The count no longer fits the clock, by this much (positive: samples are missing that
        /// were not counted). A new line has begun with this stamp.
        case jumped(by: Duration)
    }

    /// Index and nanoseconds count from `origin`.
    private struct Point {
        var index: Double
        var time: Double
        /// By how much `time` may be late; infinite where that is unknown.
        var lateness = Double.infinity
    }

    /// Nanoseconds of error that no stamp shows: the digits of files and a kernel's interrupt.
    private static let leastError = 50e3
    /// The share by which a chip's period moves within the seconds between two stamps that are kept.
    private static let wander = 5e-6
    /// The share by which any period moves while its stamps are kept, even a sound card's or a kernel timer's.
    private static let crystal = 1e-6
    private static let capacity = 128
    /// In nanoseconds.
    private static let longestStretch = 5e9
    private var origin: (index: Int64, time: Int64)?
    private var points: [Point] = []
    /// Of each stretch of this many nanoseconds one stamp is kept.
    private var stretch = 0.25e9
    private var stretchStart = 0.0
    /// Nanoseconds per sample, and their error, as known without `points`: nominal, or from before `restart`.
    private var prior: (period: Double, error: Double)
    private var line: (period: Double, intercept: Double)
    private var periodError: Double
    /// How far the stamps lie above the line on average, in nanoseconds.
    private var meanLateness = 5e6
    /// Late stamps in a row: how many, since when, and how late the least late one is.
    private var lateRun: (count: Int, since: Double, least: Double) = (0, 0, 0)

    /// A regression that knows only the nominal rate in samples per second (> 0), and
    /// believes it to 5 %.
    package init(nominalRate: Double) {
        let period = 1e9 / max(nominalRate, 1e-3)
        prior = (period, period * 0.05)
        line = (period, 0)
        periodError = prior.error
        points.reserveCapacity(Self.capacity)
    }

    /// Samples per second as measured.
    package var rate: Double { 1e9 / line.period }
    /// The expected error of `rate`, one side, in samples per second.
    package var rateError: Double { periodError / line.period * rate }

    /// The time of a sample; nil before the first stamp.
    package func time(of index: Int64) -> MonotonicTime? {
        guard let origin else { return nil }
        let time = line.intercept + Double(index - origin.index) * line.period
        return MonotonicTime(nanoseconds: origin.time + Int64(time.rounded()))
    }

    /// The expected error of `time(of:)`, one side.
    package func error(of index: Int64) -> Duration {
        guard let origin, !points.isEmpty else { return .seconds(1) }
        let place = Double(index - origin.index)
        let error = isBounded ? bound(place) : spread(place)
        return .nanoseconds(Int64(min(error + Self.leastError, 1e18)))
    }

    /// By the scatter of the stamps.
    private func spread(_ place: Double) -> Double {
        let middle = points.reduce(0) { $0 + $1.index } / Double(points.count)
        let near = points.reduce(.infinity) { min($0, abs(place - $1.index)) }
        return 2 * meanLateness / Double(points.count) + abs(place - middle) * periodError + near * line.period
            * Self.wander
    }

    /// By what the stamps allow: the sample of each was taken between the stamp and its
    /// lateness before.
    private func bound(_ place: Double) -> Double {
        var (late, early) = (Double.infinity, Double.infinity)
        let error = periodError + line.period * Self.wander
        for point in points {
            let (above, distance) = (residual(point) - line.intercept, abs(place - point.index) * error)
            late = min(late, point.lateness - above + distance)
            early = min(early, above + distance)
        }
        return max(late, early, 0)
    }

    private var isBounded: Bool { points.first.map { $0.lateness < .infinity } ?? false }

    /// Takes in that sample `index` was seen at `time`, and taken `lateness` before at the most;
    /// nil where that is unknown. Indices and times must not go backwards.
    package mutating func add(
        _ time: MonotonicTime, of index: Int64, lateness: Duration? = nil
    ) -> Verdict {
        let late = lateness.map { Double($0.nanoseconds) } ?? .infinity
        guard let origin else {
            self.origin = (index, time.nanoseconds)
            points = [Point(index: 0, time: 0, lateness: late)]
            return .accepted
        }
        let point = Point(
            index: Double(index - origin.index), time: Double(time.nanoseconds - origin.time), lateness: late)
        switch judge(point) {
        case .accepted:
            if keep(point) { refit() }
            return .accepted
        case .late: return .late
        case .jumped(let by):
            restart()
            _ = add(time, of: index, lateness: lateness)
            return .jumped(by: by)
        }
    }

    /// Begins a new line after a gap of a length that is not exactly known. The rate is carried
    /// over; until the next stamp times are those of the old line.
    package mutating func restart() {
        // A chip's rate may have moved a little meanwhile.
        prior = (line.period, periodError + line.period * 100e-6)
        points.removeAll(keepingCapacity: true)
        stretch = 0.25e9
        lateRun = (0, 0, 0)
    }

    /// Judges nothing in the first ten seconds of a line. All times are in nanoseconds. Four late stamps in a
    /// row, over two seconds, are a jump.
    private mutating func judge(_ point: Point) -> Verdict {
        guard let first = points.first, points.count >= 8, point.time - first.time > 10e9 else { return .accepted }
        let late = point.time - line.intercept - point.index * line.period
        if late < -max(20e6, 3 * line.period, 5 * meanLateness) { return .jumped(by: .nanoseconds(Int64(late))) }
        guard late > max(100e6, 5 * line.period, 5 * meanLateness) else {
            lateRun = (0, 0, 0)
            return .accepted
        }
        if lateRun.count == 0 { lateRun = (0, point.time, late) }
        lateRun = (lateRun.count + 1, lateRun.since, min(lateRun.least, late))
        let isJump = lateRun.count >= 4 && point.time - lateRun.since > 2e9
        return isJump ? .jumped(by: .nanoseconds(Int64(lateRun.least))) : .late
    }

    /// Keeps the least late stamp of each stretch of time. False when the point changes nothing.
    private mutating func keep(_ point: Point) -> Bool {
        if let last = points.last, point.time - stretchStart < stretch {
            guard residual(point) < residual(last) else { return false }
            points[points.count - 1] = point
            return true
        }
        if points.count == Self.capacity { makeRoom() }
        points.append(point)
        stretchStart = point.time
        return true
    }

    private mutating func makeRoom() {
        guard stretch < Self.longestStretch else {
            points.removeFirst()
            return
        }
        points = Swift.stride(from: 0, to: points.count, by: 2).map { index in
            let (left, right) = (points[index], points[min(index + 1, points.count - 1)])
            return residual(right) < residual(left) ? right : left
        }
        stretch = min(stretch * 2, Self.longestStretch)
    }

    private func residual(_ point: Point) -> Double { point.time - point.index * line.period }

    private mutating func refit() {
        fit()
        guard isBounded else { return }
        bind()
        // The rate has moved: no line of one slope goes through what the stamps allow.
        while points.count >= 8, isRefuted {
            points.removeFirst(points.count / 4)
            fit()
            bind()
        }
    }

    private var isRefuted: Bool {
        points.contains { residual($0) - line.intercept > $0.lateness + 2 * Self.leastError }
    }

    /// Holds the slope within what two well-known stamps far apart allow, and within what
    /// was known before.
    private mutating func bind() {
        let third = max(1, points.count / 3)
        guard let first = points.prefix(third).min(by: { $0.lateness < $1.lateness }),
            let last = points.suffix(third).min(by: { $0.lateness < $1.lateness }), last.index > first.index
        else { return }
        let samples = last.index - first.index
        var low = (last.time - last.lateness - first.time) / samples
        var high = (last.time - (first.time - first.lateness)) / samples
        let (least, most) = (max(low, prior.period - prior.error), min(high, prior.period + prior.error))
        if least <= most { (low, high) = (least, most) }
        line.period = max(low, min(high, line.period))
        periodError = max(line.period - low, high - line.period) + line.period * 1e-7
        line.intercept = points.reduce(.infinity) { min($0, residual($1)) }
    }

    private mutating func fit() {
        let hull = lowerHull()
        let span = (points.last?.time ?? 0) - (points.first?.time ?? 0)
        if hull.count > 1, span > 0 {
            let measured = slope(overTheMiddleOf: hull)
            // The least of n delays of mean J is about J/n: that, over half the span, is the error
            // of the slope. A crystal moves, too.
            let error = measured * 8 * meanLateness / (Double(points.count) * span) + measured * Self.crystal
            let (a, b) = (1 / (prior.error * prior.error), 1 / (error * error))
            line.period = (prior.period * a + measured * b) / (a + b)
            periodError = (1 / (a + b)).squareRoot()
        } else {
            line.period = prior.period
            periodError = prior.error
        }
        line.intercept = points.reduce(.infinity) { min($0, residual($1)) }
        let excess = points.reduce(0) { $0 + residual($1) - line.intercept }
        // Four imagined delays of 5 ms keep the first few stamps from looking better than they are.
        meanLateness = (4 * 5e6 + excess) / Double(4 + points.count)
    }

    private func lowerHull() -> [Point] {
        var hull: [Point] = []
        for point in points {
            while hull.count > 1, isAboveHull(hull[hull.count - 2], hull[hull.count - 1], point) { hull.removeLast() }
            hull.append(point)
        }
        return hull
    }

    /// True when the middle point lies on or above the line from the first to the last.
    private func isAboveHull(_ first: Point, _ middle: Point, _ last: Point) -> Bool {
        (middle.time - first.time) * (last.index - first.index) >= (last.time - first.time)
            * (middle.index - first.index)
    }

    private func slope(overTheMiddleOf hull: [Point]) -> Double {
        let middle = points.reduce(0) { $0 + $1.index } / Double(points.count)
        let right = max(1, hull.firstIndex { $0.index >= middle } ?? hull.count - 1)
        let (a, b) = (hull[right - 1], hull[right])
        return b.index > a.index ? (b.time - a.time) / (b.index - a.index) : prior.period
    }
}
