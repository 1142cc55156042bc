// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// The even grid of points that `EDFExporter` computes from a motion recording, and how they lie in data
/// records.
struct EDFGrid {
    /// Points of each signal in the whole file, without padding.
    let points: Int
    /// Points per record and signal.
    let capacity: Int
    let recordSeconds: Int
    private let start: Instant
    /// Points per second.
    private let rate: Double

    /// Nil where there is no block, or less than a point.
    init?(_ survey: EDFSurvey) {
        guard let first = survey.first else { return nil }
        (start, rate) = (first.start, first.block.rate)
        // Whole seconds with a whole number of points: the header has no other room for the rate.
        recordSeconds = [1, 2, 4, 5, 8, 10, 16, 20].first { Self.isWhole(Double($0) * first.block.rate) } ?? 60
        capacity = max(1, Int((Double(recordSeconds) * rate).rounded()))
        points = Int(((survey.end - start).seconds * rate).rounded(.down))
        guard points > 0 else { return nil }
    }

    var records: Int { (points + capacity - 1) / capacity }

    func time(_ number: Int) -> Instant { start + .nanoseconds(Int64((Double(number) * 1e9 / rate).rounded())) }

    private static func isWhole(_ value: Double) -> Bool { abs(value - value.rounded()) < 1e-9 && value >= 1 }
}
