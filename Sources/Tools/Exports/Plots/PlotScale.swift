// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc

/// Where the ticks of an axis are, for `PlotPage` and `PlotMap`.
package enum PlotScale {
    /// Multiples of 1, 2 or 5 times a power of ten within `range`, about `count` of them, and the
    /// decimals that tell them apart.
    package static func ticks(_ range: ClosedRange<Double>, count: Int) -> (values: [Double], decimals: Int) {
        let width = range.upperBound - range.lowerBound
        guard width > 0, width.isFinite, count > 0 else { return ([range.lowerBound], 2) }
        let step = roundStep(width / Double(count))
        let first = (range.lowerBound / step - 1e-9).rounded(.up)
        let last = (range.upperBound / step + 1e-9).rounded(.down)
        guard last >= first, last - first < 100, abs(first) < 1e15 else { return ([range.lowerBound], 2) }
        let values = (0...Int(last - first)).map { (first + Double($0)) * step }
        return (values, max(0, min(9, Int((-log10(step)).rounded(.up)))))
    }

    /// The next of 1, 2, 5, 10, 20, ... that is not below `value`.
    package static func roundStep(_ value: Double) -> Double {
        guard value > 0, value.isFinite else { return 1 }
        let power = pow(10, log10(value).rounded(.down))
        return ([1, 2, 5].first { Double($0) * power >= value * (1 - 1e-9) } ?? 10) * power
    }

    /// Steps that clocks are read in, in seconds.
    private static let clockSteps: [Double] = [
        0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600,
        7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800, 2_592_000,
    ]

    /// The step that makes at most `count` ticks of `span` seconds.
    private static func clockStep(_ span: Double, count: Int) -> Double {
        clockSteps.first { span / $0 <= Double(count) } ?? max(31_536_000, span / Double(count))
    }

    /// Times of day within a span, in seconds after its start, with their labels; none beyond 285
    /// years, which only damage brings.
    static func clockTicks(from start: Instant, span: Double, count: Int) -> [(seconds: Double, label: String)] {
        guard span < 9e9 else { return [] }
        let step = clockStep(span, count: count)
        let origin = Double(start.nanoseconds % 86_400_000_000_000) / 1e9
        let first = (origin / step - 1e-9).rounded(.up) * step - origin
        return stride(from: first, through: span * (1 + 1e-9), by: step).map { seconds in
            (seconds, label(start + .nanoseconds(Int64((seconds * 1e9).rounded())), step))
        }
    }

    private static func label(_ time: Instant, _ step: Double) -> String {
        let digits = step < 0.01 ? 3 : step < 0.1 ? 2 : step < 1 ? 1 : 0
        // A microsecond more: the text is cut, not rounded, and a double may lie just below its second.
        let text = LocalDateTime(time + .nanoseconds(1000), offset: 0).time.text(fractionDigits: digits)
        return step >= 60 ? String(text.prefix(5)) : text
    }
}
