// SPDX-License-Identifier: Apache-2.0
import Base

/// A report of a button line that hums: how many edges `HumFilter` held back since the report before. There
/// is one a minute, and a last one when the line has come to rest.
package struct ButtonHum: Sendable, Hashable {
    /// Which button, from 0, in the board's order.
    package let button: Int
    /// CLOCK_MONOTONIC at which it was recognised.
    package let since: MonotonicTime
    /// CLOCK_MONOTONIC of this report.
    package fileprivate(set) var time: MonotonicTime
    /// Edges since the last report, or since it was recognised.
    package fileprivate(set) var edges: Int
    /// It has come to rest: what comes now are presses again.
    package fileprivate(set) var isOver = false
}

/// Keeps from the panel and from the files what a line does that no finger can: mains hum on a wire
/// without a pull-up, a cable that chatters. Pure; one for all buttons of a panel. `InputThread` calls
/// `admit` for each edge and `settle` when `due`.
///
/// The human limit for rapid tapping with one hand is 5 to 7 presses a second, and 10 that of the
/// world's fastest drummer (Fujii, Kudo, Ohtsuki, Oda, Neuroscience Letters 459 (2009) 69–73). So a
/// line hums that is pressed more often than by two such hands; or more often than by one for half
/// a minute; or twice a second for ten minutes (slower ones later: what exceeds one a second adds up
/// to 600); or that never comes to rest. Nothing of it is passed on then until it has been released
/// and at rest for five seconds.
package struct HumFilter {
    /// A leaky bucket: holds `capacity` presses, and `rate` a second leak out.
    private struct Bucket {
        let capacity: Double
        /// Presses a second.
        let rate: Double
        private var level = 0.0
        private var last = MonotonicTime.zero

        init(capacity: Double, rate: Double) { (self.capacity, self.rate) = (capacity, rate) }

        /// True where the press is one too many.
        mutating func addPress(at time: MonotonicTime) -> Bool {
            level = max(0, level - max(0, (time - last).seconds) * rate) + 1
            last = time
            return level > capacity
        }
    }

    private struct Line {
        // Two of the fastest hands; one of them for half a minute, 60 / (10 − 8) s; and twice a second for ten
        // minutes, 600 / (2 − 1) s.
        var buckets = [Bucket(capacity: 5, rate: 20), Bucket(capacity: 60, rate: 8), Bucket(capacity: 600, rate: 1)]
        /// Presses in a row before which it had not come to rest.
        var restless = 0
        var hum: ButtonHum?
        var isPressed = false
        var lastEdge = MonotonicTime.zero

        /// True where the line hums from this press on.
        mutating func addPress(_ edge: ButtonEdge) -> Bool {
            restless = edge.isRestless ? restless + 1 : 0
            let isFull = buckets.indices.reduce(false) { buckets[$1].addPress(at: edge.time) || $0 }
            return isFull || restless >= HumFilter.mostRestless
        }

        /// When `settle` has a report for it, or it may be at rest; nil while it does not hum.
        var due: MonotonicTime? {
            guard let hum else { return nil }
            let report = hum.edges > 0 ? hum.time + HumFilter.interval : nil
            let rest = isPressed ? nil : lastEdge + HumFilter.rest
            return [report, rest].compactMap(\.self).min()
        }
    }

    /// Presses in a row before which the contact was still bouncing when its `Debouncer` stopped waiting, after
    /// five periods: a good contact bounces for some milliseconds only.
    private static let mostRestless = 4
    /// For how long a released line must be without an edge until its hum is over.
    private static let rest = Duration.seconds(5)
    /// From one report to the next.
    private static let interval = Duration.seconds(60)
    private var lines: [Int: Line] = [:]

    package init() {}

    /// The buttons that hum, in order, each since when.
    package var humming: [ButtonHum] { lines.values.compactMap(\.hum).sorted { $0.button < $1.button } }
    /// When `settle` is to be called; nil while no line hums.
    package var due: MonotonicTime? { lines.values.compactMap(\.due).min() }

    /// Takes each edge; true where it is to be handed on. A hum is recognised at a press, so the last edge
    /// handed on is a release, and no button stays pressed.
    package mutating func admit(_ edge: ButtonEdge) -> Bool {
        var line = lines[edge.button] ?? Line()
        defer { lines[edge.button] = line }
        (line.isPressed, line.lastEdge) = (edge.isPressed, edge.time)
        if line.hum == nil, edge.isPressed, line.addPress(edge) {
            line.hum = ButtonHum(button: edge.button, since: edge.time, time: edge.time, edges: 0)
        }
        guard line.hum != nil else { return true }
        line.hum?.edges += 1 + edge.missedBefore
        return false
    }

    /// Reports that are due: one a minute while a line hums, and one when it has come to rest.
    package mutating func settle(at now: MonotonicTime) -> [ButtonHum] {
        lines.keys.sorted().compactMap { button in
            guard let line = lines[button], let due = line.due, due <= now, var report = line.hum else { return nil }
            report.time = now
            report.isOver = !line.isPressed && now - line.lastEdge >= Self.rest
            if report.isOver {
                lines[button] = Line()
            } else {
                lines[button]?.hum?.time = now
                lines[button]?.hum?.edges = 0
            }
            return report
        }
    }
}
