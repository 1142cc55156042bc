// SPDX-License-Identifier: Apache-2.0

/// The numbers that one question was answered with, in order, as an inline SVG in a `DeviceCard`; `FleetCard`
/// draws figures of the device so.
struct Sparkline {
    let question: String
    /// In the order of answering; at least one.
    let values: [Double]
    /// What the values are, for those who do not see the line.
    var noun = "answers to"

    private static let longest = 60

    /// One line per question that has ever been answered with a number, in the order in which
    /// they first appear.
    static func series(_ answers: [[JSONValue.Member]]) -> [Sparkline] {
        var order: [String] = []
        var values: [String: [Double]] = [:]
        for member in answers.joined() {
            guard let number = member.value.double, number.isFinite else { continue }
            if values[member.name] == nil { order.append(member.name) }
            values[member.name, default: []].append(number)
        }
        return order.map { Sparkline(question: $0, values: (values[$0] ?? []).suffix(longest)) }
    }

    var html: HTML {
        let low = values.min() ?? 0
        let high = values.max() ?? 0
        let latest = values.last ?? 0
        let range = values.count == 1 ? "" : low == high ? "each time" : "of \(Self.shown(low))–\(Self.shown(high))"
        return """
            <figure><figcaption><code>\(question)</code><span><b>\(Self.shown(latest))</b> \(range)</span>
            </figcaption><svg viewBox="0 0 200 36" role="img" aria-label="\(values.count) \(noun) \(question)">
            \(line(low, high))</svg></figure>
            """
    }

    private func line(_ low: Double, _ high: Double) -> HTML {
        let points = values.enumerated().map { index, value in
            let x = values.count == 1 ? 100 : 4 + 192 * index / (values.count - 1)
            return (x, 32 - Int(28 * Self.share(value, low, high)))
        }
        let path: [HTML] = points.map { "\($0.0),\($0.1) " }
        let dots: [HTML] = points.map { "<circle cx=\"\($0.0)\" cy=\"\($0.1)\" r=\"2\" fill=\"var(--a)\"/>" }
        return """
            <polyline points="\(path)" fill="none" stroke="var(--a)" stroke-width="1.5" stroke-linejoin="round"/>\(dots)
            """
    }

    /// Where a value lies from 0 to 1, the middle where all are alike. Halves, because the difference
    /// of two numbers may be infinite.
    private static func share(_ value: Double, _ low: Double, _ high: Double) -> Double {
        let share = (value / 2 - low / 2) / (high / 2 - low / 2)
        return share.isFinite ? max(0, min(1, share)) : 0.5
    }

    /// Whole numbers without a point, others as short as they are exact.
    private static func shown(_ value: Double) -> String { Int64(exactly: value).map(String.init) ?? "\(value)" }
}
