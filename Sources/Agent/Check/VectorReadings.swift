// SPDX-License-Identifier: Apache-2.0
import Samples
import Times

/// What a chip gave in about a second. Pure.
struct VectorReadings: Sendable {
    let source: SourceDescription
    private(set) var frames: [VectorFrame] = []
    private var lost = 0
    /// The stamped samples: how many had come by then, and when.
    private var stamps: [(count: Int, time: MonotonicTime)] = []

    init(_ source: SourceDescription) { self.source = source }

    /// Takes in the next frame of the ring.
    mutating func add(_ frame: VectorFrame) {
        frames.append(frame)
        // What was missed before the first frame is not the chip's: it was being set up.
        if frames.count > 1 { lost += Int(frame.lostBefore) }
        if frame.isStamped { stamps.append((frames.count + lost, frame.time)) }
    }

    /// Samples per second between the first and the last stamped sample; nil before there are two.
    var rate: Double? {
        guard let first = stamps.first, let last = stamps.last, last.time > first.time else { return nil }
        return Double(last.count - first.count) / (last.time - first.time).seconds
    }

    /// Every sample is the same to the last bit, which no chip's noise lets happen.
    var isFrozen: Bool { frames.count >= 8 && frames.allSatisfy { $0.values == frames[0].values } }

    /// Mean and standard deviation of the vectors' lengths on the channels of that unit; nil where the chip has none.
    func lengths(_ unit: Unit) -> (mean: Double, spread: Double)? {
        let channels = source.channels
        let places = channels.indices.filter { channels[$0].unit == unit }
        guard places.count == 3, !frames.isEmpty else { return nil }
        let lengths = frames.map { frame in
            places.reduce(0.0) { $0 + square(channels[$1].value(frame.values[$1])) }.squareRoot()
        }
        let mean = lengths.reduce(0, +) / Double(lengths.count)
        let variance = lengths.reduce(0) { $0 + square($1 - mean) } / Double(lengths.count)
        return (mean, variance.squareRoot())
    }

    private func square(_ value: Double) -> Double { value * value }
}
