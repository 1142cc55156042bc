// SPDX-License-Identifier: Apache-2.0
import Base

/// One feature of a stream of samples: one file, and one line in `FeatureCatalog.swift`.
///
/// Pure. `FeatureRun` adds the samples in order, calls `restart` at each gap, and `take` for each epoch
/// that has samples, in order and once, when `lag` has passed after it. Memory is bounded by the
/// feature's own window and the epochs not yet taken.
package protocol Feature<Sample>: Sendable {
    associatedtype Sample: FeatureSample
    /// The columns of the values that `take` returns, in that order.
    var columns: [FeatureColumn] { get }
    /// How long after the end of an epoch its last value may become known.
    var lag: Duration { get }
    /// Takes the next sample; times rise.
    mutating func add(_ sample: Sample)
    /// Takes several samples, all of one epoch and without a gap between them.
    mutating func add(_ samples: ArraySlice<Sample>)
    /// Samples are missing before the next: drops whatever state needs samples without a gap.
    mutating func restart()
    /// Returns the values of an epoch and forgets it; nil for what was not measured.
    mutating func take(_ epoch: Range<Instant>) -> [Double?]
}

extension Feature {
    /// None: right for what sums up the samples of the epoch itself.
    package var lag: Duration { .zero }
    /// Nothing: right for what looks at each sample alone.
    package mutating func restart() {}
    package mutating func add(_ samples: ArraySlice<Sample>) { for sample in samples { add(sample) } }
}
