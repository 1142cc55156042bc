// SPDX-License-Identifier: Apache-2.0
import Base

/// What the samples of one sensor said in one epoch.
package struct FeatureEpoch: Sendable, Hashable {
    /// `accelerometer`, `sound` or `position`.
    package let source: String
    package let start: Instant
    package let length: Duration
    package let columns: [String]
    /// In the order of the columns; nil for what was not measured.
    package let values: [Double?]
    /// The share of the epoch that samples cover, 0...1.
    package let coverage: Double
    /// The number of the recording that was open; nil = none.
    package let recording: Int?

    package init(
        source: String, start: Instant, length: Duration, columns: [String], values: [Double?], coverage: Double,
        recording: Int? = nil
    ) {
        (self.source, self.start, self.length) = (source, start, length)
        (self.columns, self.values, self.coverage, self.recording) = (columns, values, coverage, recording)
    }

    package var end: Instant { start + length }
}

/// The epochs of one feature that its windows can reach.
struct FeatureWindow: Sendable {
    private struct Epoch: Sendable {
        let end: Instant
        let value: Double
        let coverage: Double
        let recording: Int?
    }

    let feature: RuleFeature
    /// How far back anything looks, from the moment it is asked about.
    private let reach: Duration
    /// Epochs are kept this much longer, since a decision asks for the window of a moment that is past:
    /// `RuleEngine.late` at most.
    private static let lateness = Duration.seconds(300)
    private var epochs: [Epoch] = []
    /// Where those that are kept begin.
    private var first = 0
    /// The end of the newest epoch, with a value or without.
    private(set) var newest: Instant?
    private var place: (columns: [String], index: Int?)?
    private var cached: (at: Instant, reading: FeatureReading)?

    /// For windows of that length at most.
    init(_ feature: RuleFeature, reach: Duration) { (self.feature, self.reach) = (feature, reach) }

    mutating func restart() { self = FeatureWindow(feature, reach: reach) }

    /// Epochs of other sensors and other lengths are not looked at; nor one that does not follow.
    mutating func add(_ epoch: FeatureEpoch) {
        guard epoch.source == feature.source, epoch.length == feature.epoch, newest.map({ epoch.end > $0 }) ?? true
        else { return }
        newest = epoch.end
        cached = nil
        guard let index = index(in: epoch.columns), let value = epoch.values[index] else { return }
        epochs.append(Epoch(end: epoch.end, value: value, coverage: epoch.coverage, recording: epoch.recording))
        while epochs[first].end < epoch.end - reach - Self.lateness { first += 1 }
        if first > 4096, first > epochs.count / 2 {
            epochs.removeFirst(first)
            first = 0
        }
    }

    private mutating func index(in columns: [String]) -> Int? {
        if let place, place.columns == columns { return place.index }
        let index = columns.firstIndex(of: feature.column)
        place = (columns, index)
        return index
    }

    /// The last multiple of the epoch that is not after a moment.
    func edge(before time: Instant) -> Instant { Self.edge(feature.epoch, before: time) }

    static func edge(_ epoch: Duration, before time: Instant) -> Instant {
        let length = epoch.nanoseconds
        let remainder = time.nanoseconds % length
        return Instant(nanoseconds: time.nanoseconds - (remainder < 0 ? remainder + length : remainder))
    }

    /// The first that is not before it.
    static func edge(_ epoch: Duration, after time: Instant) -> Instant {
        let before = edge(epoch, before: time)
        return before == time ? time : before + epoch
    }

    /// Everything that can be there at that moment is.
    func isComplete(at time: Instant) -> Bool { newest.map { $0 >= edge(before: time) } ?? false }

    mutating func reading(at time: Instant) -> FeatureReading {
        let edge = edge(before: time)
        if let cached, cached.at == edge { return cached.reading }
        let reading = reading(edge - feature.window, edge)
        cached = (edge, reading)
        return reading
    }

    func value(at time: Instant) -> Double? {
        let edge = edge(before: time)
        if let cached, cached.at == edge { return cached.reading.value }
        return reading(edge - feature.window, edge).value
    }

    /// Of the epochs within that span, as a share of all of it.
    func reading(_ from: Instant, _ to: Instant) -> FeatureReading {
        var start = epochs.count
        while start > first, epochs[start - 1].end - feature.epoch >= from { start -= 1 }
        var end = epochs.count
        while end > start, epochs[end - 1].end > to { end -= 1 }
        let counted = epochs[start..<end]
        let length = feature.epoch.seconds
        let coverage = counted.reduce(0) { $0 + $1.coverage * length } / (to - from).seconds
        let numbers = counted.lazy.compactMap(\.recording)
        var recordings: [Int] = []
        for number in numbers where recordings.last != number { recordings.append(number) }
        return FeatureReading(
            value: coverage < feature.needs - 1e-9 ? nil : reduce(counted), coverage: min(1, coverage),
            from: counted.first.map { $0.end - feature.epoch }, to: counted.last?.end,
            recordings: recordings.isEmpty ? nil : Array(Set(recordings)).sorted())
    }

    private func reduce(_ counted: ArraySlice<Epoch>) -> Double? {
        guard let last = counted.last else { return nil }
        return switch feature.reduction {
        case .sum: counted.reduce(0) { $0 + $1.value }
        case .mean: counted.reduce(0) { $0 + $1.value } / Double(counted.count)
        case .min: counted.lazy.map(\.value).min()
        case .max: counted.lazy.map(\.value).max()
        case .last: last.value
        }
    }
}
