// SPDX-License-Identifier: Apache-2.0
import Base

/// The newest epochs of one feature, and its value over a window that ends at a given moment: for `RuleEngine`
/// and `ConditionReplay`. Epochs are added in order of time.
struct FeatureWindow: Sendable {
    private struct Epoch: Sendable {
        let end: Instant
        let value: Double
        let coverage: Double
        let recording: Int?
    }

    let feature: RuleFeature
    /// The longest window that is asked for: epochs older than that are removed.
    private let reach: Duration
    /// Epochs are kept this much longer, since a decision asks for the window of a moment that is past:
    /// `RuleEngine.late` at most.
    private static let lateness = Duration.seconds(300)
    private var epochs: [Epoch] = []
    /// The index of the first epoch that is still needed; those before it are removed from time to time.
    private var first = 0
    /// The end of the newest epoch that was added, with a value or without.
    private(set) var newest: Instant?
    /// The feature's column in the epochs so far, so that names are compared once.
    private var place: (columns: [String], index: Int?)?
    /// The last reading; `at` is the epoch's edge at which its window ends.
    private var cached: (at: Instant, reading: FeatureReading)?

    init(_ feature: RuleFeature, reach: Duration) { (self.feature, self.reach) = (feature, reach) }

    /// Forgets all epochs, because the clock was stepped.
    mutating func restart() { self = FeatureWindow(feature, reach: reach) }

    /// Ignores epochs of other sensors or lengths, and one that does not end after the newest.
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

    /// The last multiple of the epoch at or before `time`.
    func edge(before time: Instant) -> Instant { Self.edge(feature.epoch, before: time) }

    static func edge(_ epoch: Duration, before time: Instant) -> Instant {
        let length = epoch.nanoseconds
        let remainder = time.nanoseconds % length
        return Instant(nanoseconds: time.nanoseconds - (remainder < 0 ? remainder + length : remainder))
    }

    /// The first multiple of the epoch at or after `time`.
    static func edge(_ epoch: Duration, after time: Instant) -> Instant {
        let before = edge(epoch, before: time)
        return before == time ? time : before + epoch
    }

    /// The epochs up to that moment have all been added, so its value will not change.
    func isComplete(at time: Instant) -> Bool { newest.map { $0 >= edge(before: time) } ?? false }

    /// The value over the window that ends at that moment, kept for the next call.
    mutating func reading(at time: Instant) -> FeatureReading {
        let edge = edge(before: time)
        if let cached, cached.at == edge { return cached.reading }
        let reading = reading(edge - feature.window, edge)
        cached = (edge, reading)
        return reading
    }

    /// The value alone, from `reading(at:)` of the same moment where that was called last.
    func value(at time: Instant) -> Double? {
        let edge = edge(before: time)
        if let cached, cached.at == edge { return cached.reading.value }
        return reading(edge - feature.window, edge).value
    }

    /// The value over that span, of the epochs that lie in it.
    func reading(_ from: Instant, _ to: Instant) -> FeatureReading {
        var start = epochs.count
        while start > first, epochs[start - 1].end - feature.epoch >= from { start -= 1 }
        var end = epochs.count
        while end > start, epochs[end - 1].end > to { end -= 1 }
        // The epochs from `start` on begin at `from` or later; those before `end` end at `to` or earlier.
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
