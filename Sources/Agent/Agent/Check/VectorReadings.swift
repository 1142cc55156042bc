// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// The samples that a chip gave in a `ChipTrial` or `KernelChipTrial`, for `ChipVerdict` to judge. Pure.
struct VectorReadings: Sendable {
    let source: SourceDescription
    private(set) var frames: [VectorFrame] = []
    private var lost = 0
    /// The stamped samples: how many had come by then, and when.
    private var stamps: [(count: Int, time: MonotonicTime)] = []

    init(_ source: SourceDescription) { self.source = source }

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

    var isFrozen: Bool { frames.count >= 8 && frames.allSatisfy { $0.values == frames[0].values } }

    /// True where a step is finer than the chip's noise, which then moves the last bits even at rest:
    /// identical samples are a fault. Some 2 mg, 0.1 deg/s and 0.5 µT are the noise of these chips
    /// at 100 Hz by their data sheets (an LIS3DH 0.22 mg/√Hz).
    var resolvesNoise: Bool {
        let noise: [Unit: Double] = [.standardGravity: 0.002, .degreesPerSecond: 0.1, .microtesla: 0.5]
        return source.channels.contains { channel in noise[channel.unit].map { channel.resolution <= $0 } ?? false }
    }

    /// `8 mg`, the coarsest step of a channel.
    var step: String {
        guard let channel = source.channels.max(by: { $0.resolution < $1.resolution }) else { return "nothing" }
        let isGravity = channel.unit == .standardGravity
        return (channel.resolution * (isGravity ? 1000 : 1)).text(isGravity ? 0 : 2) + " "
            + (isGravity ? "mg" : channel.unit.rawValue)
    }

    /// Mean and standard deviation of the vectors' lengths on the channels of that unit; nil where
    /// the chip has none.
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
