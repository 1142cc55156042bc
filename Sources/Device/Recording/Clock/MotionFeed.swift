// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The acceleration of a source sample by sample, with its times, as the CWA file recorded from the same source
/// holds it: in the file's steps, and at its rate where that is not the chip's. Features and rules computed
/// live then agree with the file. Pure. `FeatureTap` and `RuleTap` have one.
package struct MotionFeed {
    package enum Item: Sendable {
        /// In g, in the chip's own axes.
        case sample(MonotonicTime, x: Double, y: Double, z: Double)
        case gap(LossReason)
    }

    /// Samples per second, as the file names it.
    package let rate: Double
    private let scaling: CWAScaling
    /// Where x is among the block's values; y and z follow.
    private let first: Int
    /// g per count of the block.
    private let unit: Double
    private var timeline: SampleTimeline<VectorFrame>
    private var resampler: VectorResampler?

    /// Throws for a source without three axes in g.
    package init(_ source: SourceDescription) throws(FileError) {
        scaling = try CWAScaling(source)
        first = scaling.axes - 3
        unit = 1 / Double(scaling.packing == .packed3 ? 256 : 256 << Int(scaling.accelerometerScale))
        rate = CWARate.nearest(to: source.nominalRate).rate
        timeline = SampleTimeline(nominalRate: source.nominalRate, isRegular: true)
        if abs(source.nominalRate / rate - 1) > CWAWriter.rateTolerance {
            resampler = VectorResampler(from: source.nominalRate, to: rate, axes: scaling.axes)
        }
    }

    /// Takes the next frame; returns what has a time by now.
    package mutating func add(_ frame: VectorFrame) -> [Item] { timeline.add(frame).flatMap { items($0) } }

    private mutating func items(_ item: SampleTimeline<VectorFrame>.Item) -> [Item] {
        switch item {
        case .frame(let frame, let time): samples(frame, time)
        case .gap(_, _, let reason): restart(reason)
        case .untimed, .backwards: restart(.deviceError)
        }
    }

    private mutating func restart(_ reason: LossReason) -> [Item] {
        resampler?.reset()
        return [.gap(reason)]
    }

    private mutating func samples(_ frame: VectorFrame, _ time: MonotonicTime) -> [Item] {
        guard resampler != nil else {
            return [sample(time) { scaling.count(frame, $0) }]
        }
        return (resampler?.add(scaling.values(frame), at: time) ?? []).map { values, time in
            sample(time) { CWAScaling.round(values[$0]) }
        }
    }

    private func sample(_ time: MonotonicTime, _ count: (Int) -> Int16) -> Item {
        var (x, y, z) = (count(first), count(first + 1), count(first + 2))
        if scaling.packing == .packed3 {
            // Beyond ±2 g the axes share a coarser step.
            let word = CWAPacking.word(x, y, z)
            (x, y, z) = (
                CWAPacking.value(word, axis: 0), CWAPacking.value(word, axis: 1), CWAPacking.value(word, axis: 2)
            )
        }
        return .sample(time, x: Double(x) * unit, y: Double(y) * unit, z: Double(z) * unit)
    }
}
