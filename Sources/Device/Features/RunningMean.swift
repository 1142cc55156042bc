// SPDX-License-Identifier: Apache-2.0

/// A mean of what was added so far; nil before that. Features keep one for each epoch.
struct RunningMean: Sendable {
    private var sum = 0.0
    private var count = 0

    mutating func add(_ value: Double) { (sum, count) = (sum + value, count + 1) }
    mutating func add(sum: Double, count: Int) { (self.sum, self.count) = (self.sum + sum, self.count + count) }
    var value: Double? { count == 0 ? nil : sum / Double(count) }
}
