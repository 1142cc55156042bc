// SPDX-License-Identifier: Apache-2.0
import Base

/// A value for each epoch that has samples, until it is taken. Features add their samples up in one,
/// `FeatureRun` the time for which there are samples.
struct EpochBins<Value: Sendable>: Sendable {
    private let epoch: Epoch
    private let empty: Value
    private var bins: [(range: Range<Instant>, value: Value)] = []

    init(_ epoch: Epoch, _ empty: Value) {
        self.epoch = epoch
        self.empty = empty
    }

    /// The earliest epoch that was not taken.
    var first: Range<Instant>? { bins.first?.range }

    /// Changes the value of the epoch of `time`. Only the last two that have samples can still
    /// change; a later time begins another, and any other is left out.
    mutating func update(_ time: Instant, _ change: (inout Value) -> Void) {
        if let place = bins.indices.suffix(2).first(where: { bins[$0].range.contains(time) }) {
            return change(&bins[place].value)
        }
        if let last = bins.last, time < last.range.lowerBound { return }
        bins.append((epoch.range(of: time), empty))
        change(&bins[bins.count - 1].value)
    }

    /// What the epoch that begins at `start` has, and forgets it and all before.
    mutating func take(_ start: Instant) -> Value? {
        defer { bins.removeAll { $0.range.lowerBound <= start } }
        return bins.first { $0.range.lowerBound == start }?.value
    }
}
