// SPDX-License-Identifier: Apache-2.0
import Base

/// Spans of the local clock in which no point of a rule falls due; `RuleZones` looks at them.
package struct QuietHours: Sendable, Hashable {
    /// In milliseconds from midnight, in order, without overlap; the end is not in it.
    private let spans: [Range<Int>]
    private static let day = 86_400_000

    /// Spans in milliseconds from midnight; one whose start is not before its end goes over midnight.
    package init(_ given: [(start: Int, end: Int)]) {
        let parts = given.flatMap { $0.start < $0.end ? [$0.start..<$0.end] : [$0.start..<Self.day, 0..<$0.end] }
        spans = parts.filter { !$0.isEmpty }.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { all, next in
            guard let last = all.last, next.lowerBound <= last.upperBound else { return all.append(next) }
            all[all.count - 1] = last.lowerBound..<max(last.upperBound, next.upperBound)
        }
    }

    package func contains(_ time: LocalTime) -> Bool { contains(Int(time.nanoseconds / 1_000_000)) }

    private func contains(_ millisecond: Int) -> Bool { spans.contains { $0.contains(millisecond) } }

    /// How many milliseconds of the day are not quiet, from that millisecond on.
    package func active(from millisecond: Int = 0) -> Int {
        let left = Self.day - millisecond
        return left - spans.reduce(0) { $0 + max(0, $1.upperBound - max($1.lowerBound, millisecond)) }
    }
}
