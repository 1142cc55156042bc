// SPDX-License-Identifier: Apache-2.0
import Device

/// The lowest and the highest value of a signal per column of a `PlotPage`, so that no peak is lost and memory
/// does not grow with the recording. A column without values has `low` above `high`.
package struct Envelope: Sendable {
    /// Seconds of the whole width.
    package let span: Double
    private(set) var low: [Double]
    private(set) var high: [Double]
    private let isCut: Bool

    /// `isCut`: the picture shows only a part of the recording, and values outside are left out.
    package init(span: Double, columns: Int = PlotPage.columns, isCut: Bool = false) {
        self.span = max(span, 1e-6)
        self.isCut = isCut
        low = [Double](repeating: .infinity, count: columns)
        high = [Double](repeating: -.infinity, count: columns)
    }

    /// Adds a value this many seconds after the left end of the picture; values outside fall into the
    /// outermost columns, unless `isCut`.
    package mutating func add(_ value: Double, at seconds: Double) {
        guard value.isFinite, seconds.isFinite, !isCut || (0..<span).contains(seconds) else { return }
        let column = Self.column(seconds, span, low.count)
        low[column] = min(low[column], value)
        high[column] = max(high[column], value)
    }

    /// The extremes of all values; nil while empty.
    package var range: ClosedRange<Double>? {
        guard let least = low.min(), let most = high.max(), least <= most else { return nil }
        return least...most
    }

    static func column(_ seconds: Double, _ span: Double, _ count: Int) -> Int {
        Int(max(0, min(Double(count - 1), seconds / span * Double(count))))
    }

    /// Columns that belong together: those with values, not further apart than `reach` columns.
    func runs(reach: Int) -> [[Int]] {
        var runs: [[Int]] = []
        for column in low.indices where low[column] <= high[column] {
            if let last = runs.last?.last, column - last <= max(1, reach) {
                runs[runs.count - 1].append(column)
            } else {
                runs.append([column])
            }
        }
        return runs
    }
}
