// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// What a recorder counted in the last hour, to the minute; `RecorderLoop` has one for each. Pure.
struct HourWindow: Sendable {
    /// Counts at the end of each minute, oldest first; at most 61.
    private var marks: [(time: MonotonicTime, counts: SampleCounts)] = []

    private static let length: Duration = .seconds(3600)
    private static let step: Duration = .seconds(60)

    /// Takes the recorder's present totals; returns their increase in the last hour, or since the beginning.
    mutating func add(_ counts: SampleCounts, at now: MonotonicTime) -> SampleCounts {
        if marks.last.map({ now - $0.time >= Self.step }) ?? true { marks.append((now, counts)) }
        while marks.count > 1, now - marks[1].time >= Self.length { marks.removeFirst() }
        guard let first = marks.first, now - first.time >= Self.length else { return counts }
        return counts.since(first.counts)
    }
}

extension SampleCounts {
    /// What came after `earlier` counts of the same recorder.
    func since(_ earlier: SampleCounts) -> SampleCounts {
        var difference = self
        difference.due -= earlier.due
        difference.stored -= earlier.stored
        for (reason, count) in earlier.lost { difference.lost[reason, default: 0] -= count }
        difference.lost = difference.lost.filter { $0.value != 0 }
        return difference
    }
}
