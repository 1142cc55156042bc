// SPDX-License-Identifier: Apache-2.0
import Samples

/// Whether what a sensor measures at rest can be true: gravity, the Earth's field. Pure.
public struct Plausibility: Sendable, Hashable, CustomStringConvertible {
    /// `gravity`, `magnetic field`.
    public let quantity: String
    /// The length of the mean vector.
    public let value: Double
    /// What it must be.
    public let allowed: ClosedRange<Double>
    /// The unit of both.
    public let unit: Unit
    /// What to do when it is not.
    public let remedy: String

    public init(quantity: String, value: Double, allowed: ClosedRange<Double>, unit: Unit, remedy: String) {
        self.quantity = quantity
        self.value = value
        self.allowed = allowed
        self.unit = unit
        self.remedy = remedy
    }

    /// The value is in its range.
    public var isPlausible: Bool { allowed.contains(value) }

    /// `gravity 0.99 g`, or what it should be and what to do.
    public var description: String {
        let measured = "\(quantity) \(plain((value * 100).rounded() / 100)) \(unit.rawValue)"
        if isPlausible { return measured }
        return "\(measured) is not \(plain(allowed.lowerBound)) to \(plain(allowed.upperBound)): \(remedy)"
    }

    /// At rest an accelerometer feels 1 g, whatever its position; 10 % are its own error and a hand that is not quite still.
    public static func gravity(_ mean: SIMD3<Double>) -> Plausibility {
        Plausibility(
            quantity: "gravity", value: length(mean), allowed: 0.9...1.1, unit: .standardGravity,
            remedy: "keep the device still, and name the chip that is fitted: sisters differ in scale; else replace it")
    }

    /// The Earth's field is 22 to 67 µT, at the surface and away from iron.
    public static func field(_ mean: SIMD3<Double>) -> Plausibility {
        Plausibility(
            quantity: "magnetic field", value: length(mean), allowed: 20...70, unit: .microtesla,
            remedy: "take iron, magnets and loudspeakers away from the device, and name the chip that is fitted")
    }

    /// What can be said of these frames of that source, which was at rest; nothing of a gyroscope, and nothing without
    /// frames.
    public static func check(_ frames: [VectorFrame], of source: SourceDescription) -> [Plausibility] {
        [(Unit.standardGravity, gravity), (.microtesla, field)].compactMap { unit, judge in
            mean(frames, source.channels, unit).map(judge)
        }
    }

    private static func mean(_ frames: [VectorFrame], _ channels: [Channel], _ unit: Unit) -> SIMD3<Double>? {
        let places = channels.indices.filter { channels[$0].unit == unit }
        guard places.count == 3, !frames.isEmpty else { return nil }
        let sum = frames.reduce(into: SIMD3<Double>()) { sum, frame in
            for axis in 0..<3 { sum[axis] += channels[places[axis]].value(frame.values[places[axis]]) }
        }
        return sum / Double(frames.count)
    }

    private static func length(_ vector: SIMD3<Double>) -> Double { (vector * vector).sum().squareRoot() }
}
