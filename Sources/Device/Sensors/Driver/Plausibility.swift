// SPDX-License-Identifier: Apache-2.0

/// Whether what a sensor measures at rest can be true: gravity, the Earth's field. `studyd check` judges chips
/// by it. Pure.
package struct Plausibility: Sendable, Hashable, CustomStringConvertible {
    /// `gravity`, `magnetic field`.
    package let quantity: String
    /// The length of the mean vector.
    package let value: Double
    package let allowed: ClosedRange<Double>
    /// The unit of `value` and `allowed`.
    package let unit: Unit
    package let remedy: String

    package var isPlausible: Bool { allowed.contains(value) }

    /// `gravity 0.99 g`, or what it should be and what to do.
    package var description: String {
        func measured(_ steps: Double) -> String {
            "\(quantity) \(plain((value * steps).rounded() / steps)) \(unit.rawValue)"
        }
        if isPlausible { return measured(100) }
        // Four decimals, so that 1.1004 is not shown as 1.1, which would be in range.
        return "\(measured(10_000)) is not \(plain(allowed.lowerBound)) to \(plain(allowed.upperBound)): \(remedy)"
    }

    /// At rest an accelerometer feels 1 g, whatever its position; 10 % are its own error and a hand
    /// that is not quite still.
    package static func gravity(_ mean: SIMD3<Double>) -> Plausibility {
        Plausibility(
            quantity: "gravity", value: length(mean), allowed: 0.9...1.1, unit: .standardGravity,
            remedy:
                "keep the device still, and check which chip is fitted: similar chips differ in scale; otherwise replace it"
        )
    }

    /// The Earth's field is 22 to 67 µT, at the surface and away from iron.
    package static func field(_ mean: SIMD3<Double>) -> Plausibility {
        Plausibility(
            quantity: "magnetic field", value: length(mean), allowed: 20...70, unit: .microtesla,
            remedy: "keep iron, magnets and loudspeakers away from the device, and check which chip is fitted")
    }

    /// One result for each accelerometer and magnetometer in `frames`, which `source` gave while the
    /// device was at rest. A gyroscope is not checked. Empty without frames.
    package static func check(_ frames: [VectorFrame], of source: SourceDescription) -> [Plausibility] {
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
