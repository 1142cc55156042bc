// SPDX-License-Identifier: Apache-2.0
import Device
import Glibc

/// The direction in which the device's y axis points, from the means of what an accelerometer and a
/// magnetometer gave meanwhile; `CompassTap` fills it. Pure.
///
/// As Android's `SensorManager.getRotationMatrix` and `getOrientation` compute it (AOSP,
/// SensorManager.java), which ESMira's `CompassView` shows: east is the field crossed with gravity,
/// north is gravity crossed with east; the azimuth is atan2 of their y components. The field is
/// taken as the chip gives it: what iron of the device adds is in it.
struct CompassReading {
    private var sums: [Unit: (sum: [Double], count: Int)] = [:]

    /// Takes in a sample; what is neither acceleration nor a magnetic field is left.
    mutating func add(_ frame: VectorFrame, of source: SourceDescription) {
        for unit in [Unit.standardGravity, .microtesla] {
            let places = source.channels.indices.filter { source.channels[$0].unit == unit }
            guard places.count == 3 else { continue }
            let raw = places.map { source.channels[$0].value(frame.values[$0]) }
            // In the device's axes.
            let turned =
                source.mounting.map { rows in rows.map { row in zip(row, raw).reduce(0) { $0 + $1.0 * $1.1 } } } ?? raw
            var mean = sums[unit] ?? ([0, 0, 0], 0)
            mean = (zip(mean.sum, turned).map(+), mean.count + 1)
            sums[unit] = mean
        }
    }

    var isComplete: Bool { sums.count == 2 }

    /// Clockwise from magnetic north, 0..<360; nil while one of the two is missing, in free fall, and where the
    /// field is as upright as gravity.
    var degrees: Double? {
        guard let gravity = mean(.standardGravity), let field = mean(.microtesla) else { return nil }
        let east = Self.cross(field, gravity)
        let (strength, weight) = (Self.length(east), Self.length(gravity))
        // The limits of Android: a tenth of gravity, and a field of which next to
        // nothing lies level.
        guard weight > 0.1, strength / weight > 0.1 else { return nil }
        let (level, up) = (east.map { $0 / strength }, gravity.map { $0 / weight })
        let north = Self.cross(up, level)
        let angle = atan2(level[1], north[1]) * 180 / .pi
        let whole = (angle + 360).truncatingRemainder(dividingBy: 360)
        return whole.isFinite ? whole : nil
    }

    private func mean(_ unit: Unit) -> [Double]? { sums[unit].map { sum, count in sum.map { $0 / Double(count) } } }

    private static func cross(_ a: [Double], _ b: [Double]) -> [Double] {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    }

    private static func length(_ a: [Double]) -> Double { a.reduce(0) { $0 + $1 * $1 }.squareRoot() }
}
