// SPDX-License-Identifier: Apache-2.0
import Device

/// Where data are missing, per column of a `PlotPage`, which shades them. The plots add the gaps.
package struct GapShade: Sendable {
    package private(set) var count = 0
    package private(set) var seconds = 0.0
    private var isMissing: [Bool]
    private let span: Double
    private let isCut: Bool

    /// No gap in `span` seconds; `isCut` = only the part of a gap within the span counts.
    package init(span: Double, columns: Int = PlotPage.columns, isCut: Bool = false) {
        self.span = max(span, 1e-6)
        self.isCut = isCut
        isMissing = [Bool](repeating: false, count: columns)
    }

    /// Adds a gap, in seconds from the left end.
    package mutating func add(from start: Double, to end: Double) {
        guard start.isFinite, end.isFinite, !isCut || (end > 0 && start < span) else { return }
        let (start, end) = isCut ? (max(0, start), min(span, end)) : (start, end)
        count += 1
        seconds += max(0, end - start)
        let first = Envelope.column(min(start, end), span, isMissing.count)
        for column in first...max(first, Envelope.column(end, span, isMissing.count)) { isMissing[column] = true }
    }

    var runs: [ClosedRange<Int>] {
        var runs: [ClosedRange<Int>] = []
        for column in isMissing.indices where isMissing[column] {
            if let last = runs.last, last.upperBound == column - 1 {
                runs[runs.count - 1] = last.lowerBound...column
            } else {
                runs.append(column...column)
            }
        }
        return runs
    }
}
