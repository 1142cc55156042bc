// SPDX-License-Identifier: Apache-2.0
import Base

/// The median of the last `width` values; `width` is odd. `AngleZ` has one for each axis.
struct RollingMedian: Sendable {
    private let width: Int
    /// The values as they came; once it is full, the oldest is at `next`.
    private var ring: [Double] = []
    /// The same values in rising order.
    private var sorted: [Double] = []
    private var next = 0

    init(_ width: Int) {
        self.width = width
        ring.reserveCapacity(width)
        sorted.reserveCapacity(width)
    }

    /// Must not be read before the first `add`.
    var median: Double { sorted[sorted.count / 2] }

    mutating func add(_ value: Double) {
        guard ring.count == width else {
            ring.append(value)
            return sorted.insert(value, at: place(of: value))
        }
        let old = ring[next]
        ring[next] = value
        next = next + 1 == width ? 0 : next + 1
        replace(old, by: value)
    }

    /// Keeps `sorted` in order by moving only what lies between the two values.
    private mutating func replace(_ old: Double, by value: Double) {
        var place = place(of: old)
        sorted.withUnsafeMutableBufferPointer { sorted in
            while place + 1 < sorted.count, sorted[place + 1] < value {
                sorted[place] = sorted[place + 1]
                place += 1
            }
            while place > 0, sorted[place - 1] > value {
                sorted[place] = sorted[place - 1]
                place -= 1
            }
            sorted[place] = value
        }
    }

    /// The index in `sorted` of the first value that is not less; `sorted.count` where all are.
    private func place(of value: Double) -> Int { sorted.partitioningIndex { !($0 < value) } }
}
