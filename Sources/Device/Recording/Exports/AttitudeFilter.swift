// SPDX-License-Identifier: Apache-2.0

/// How a device lies in space, from its turning, its acceleration and, where it is given, the magnetic field:
/// Madgwick's filter (S. Madgwick, "An efficient orientation filter for inertial and inertial/magnetic sensor
/// arrays", 2010, equations 25 to 34 and 45 to 46). `MotionLog` runs it.
///
/// The quaternion turns a vector of the device into one of the world: z up, and with a magnetic
/// field x to the magnetic north and y to the west. An acceleration at rest is +1 on the axis that
/// points up. Pure arithmetic: the same samples give the same attitude.
package struct AttitudeFilter: Sendable {
    /// In rad/s, as Madgwick found best without a magnetometer.
    private static let gain = 0.033
    /// The same with a magnetometer.
    private static let magneticGain = 0.041

    /// w, x, y, z, in this order: `quaternion.x` is w. Of length 1.
    package private(set) var quaternion: SIMD4<Double>
    package private(set) var isBegun = false
    private let gain: Double?

    /// Another gain, in place of Madgwick's, is for comparisons.
    package init(gain: Double? = nil) {
        quaternion = SIMD4(1, 0, 0, 0)
        self.gain = gain
    }

    /// Takes a sample: rad/s, and acceleration and field in any unit; `seconds` since the one
    /// before. The first one only says how the device lies.
    package mutating func add(
        rotation: SIMD3<Double>, acceleration: SIMD3<Double>, field: SIMD3<Double>? = nil, after seconds: Double
    ) {
        guard isBegun else {
            quaternion = Self.attitude(acceleration, field)
            isBegun = true
            return
        }
        let q = quaternion
        var change = 0.5 * Self.product(q, SIMD4(0, rotation.x, rotation.y, rotation.z))
        if let gradient = Self.gradient(q, acceleration, field) {
            change -= (gain ?? (field == nil ? Self.gain : Self.magneticGain)) * gradient
        }
        quaternion = Self.unit(q + change * seconds)
    }

    /// The direction of up in the device, of length 1.
    package var up: SIMD3<Double> {
        let (w, x, y, z) = (quaternion.x, quaternion.y, quaternion.z, quaternion.w)
        return SIMD3(2 * (x * z - w * y), 2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    }

    /// Degrees from the north to the device's x axis, clockwise as seen from above, [0, 360).
    package var heading: Double {
        let (w, x, y, z) = (quaternion.x, quaternion.y, quaternion.z, quaternion.w)
        let yaw = Trigonometry.arctangent(2 * (x * y + w * z), 1 - 2 * (y * y + z * z)) * 180 / .pi
        let clockwise = -yaw
        let wrapped = clockwise < 0 ? clockwise + 360 : clockwise
        return wrapped >= 360 ? 0 : wrapped
    }

    /// Lying as the acceleration says; with a field turned to the north.
    private static func attitude(_ acceleration: SIMD3<Double>, _ field: SIMD3<Double>?) -> SIMD4<Double> {
        guard let up = unit(acceleration) else { return SIMD4(1, 0, 0, 0) }
        // Any level direction will do without a field: the device's x axis, or y where x is
        // upright.
        let rough = field.flatMap(unit) ?? (abs(up.x) < 0.9 ? SIMD3(1, 0, 0) : SIMD3(0, 1, 0))
        guard let west = unit(cross(up, rough)) else { return SIMD4(1, 0, 0, 0) }
        let north = cross(west, up)
        return quaternion(rows: north, west, up)
    }

    /// Equations 25, 26, 31, 32 and 34: the direction in which the error grows, of length 1; nil
    /// where there is none.
    private static func gradient(
        _ quaternion: SIMD4<Double>, _ acceleration: SIMD3<Double>, _ field: SIMD3<Double>?
    ) -> SIMD4<Double>? {
        guard let a = unit(acceleration) else { return nil }
        let (w, x, y, z) = (quaternion.x, quaternion.y, quaternion.z, quaternion.w)
        let (xx, yy, zz) = (x * x, y * y, z * z)
        let (wx, wy, wz) = (w * x, w * y, w * z)
        let (xy, xz, yz) = (x * y, x * z, y * z)
        // Names as in the equations: f and g are the errors of up and north, h the field in the world, and b and d
        // its level and upright parts. The world's up, as the device sees it, is twice this.
        let up = SIMD3<Double>(xz - wy, wx + yz, 0.5 - xx - yy)
        let f: SIMD3<Double> = 2 * up - a
        var sum: SIMD4<Double> = f.x * SIMD4<Double>(-2 * y, 2 * z, -2 * w, 2 * x)
        sum += f.y * SIMD4<Double>(2 * x, 2 * w, 2 * z, 2 * y)
        sum += f.z * SIMD4<Double>(0, -4 * x, -4 * y, 0)
        if let m = field.flatMap(unit) {
            let h = product(quaternion, product(SIMD4(0, m.x, m.y, m.z), SIMD4(w, -x, -y, -z)))
            let b: Double = (h.y * h.y + h.z * h.z).squareRoot()
            let d: Double = h.w
            // The world's north, as the device sees it, is twice this.
            let north = SIMD3<Double>(0.5 - yy - zz, xy - wz, wy + xz)
            let g: SIMD3<Double> = 2 * b * north + 2 * d * up - m
            let (b2, b4, d2, d4): (Double, Double, Double, Double) = (2 * b, 4 * b, 2 * d, 4 * d)
            sum += g.x * row(-d2 * y, d2 * z, -b4 * y - d2 * w, -b4 * z + d2 * x)
            sum += g.y * row(-b2 * z + d2 * x, b2 * y + d2 * w, b2 * x + d2 * z, -b2 * w + d2 * y)
            sum += g.z * row(b2 * y, b2 * z - d4 * x, b2 * w - d4 * y, b2 * x)
        }
        let length = (sum * sum).sum().squareRoot()
        return length > 0 ? sum / length : nil
    }

    private static func row(_ w: Double, _ x: Double, _ y: Double, _ z: Double) -> SIMD4<Double> { SIMD4(w, x, y, z) }

    private static func product(_ p: SIMD4<Double>, _ q: SIMD4<Double>) -> SIMD4<Double> {
        let w: Double = p.x * q.x - p.y * q.y - p.z * q.z - p.w * q.w
        let x: Double = p.x * q.y + p.y * q.x + p.z * q.w - p.w * q.z
        let y: Double = p.x * q.z - p.y * q.w + p.z * q.x + p.w * q.y
        let z: Double = p.x * q.w + p.y * q.z - p.z * q.y + p.w * q.x
        return SIMD4(w, x, y, z)
    }

    private static func unit(_ vector: SIMD4<Double>) -> SIMD4<Double> {
        let length = (vector * vector).sum().squareRoot()
        return length > 0 ? vector / length : SIMD4(1, 0, 0, 0)
    }

    private static func unit(_ vector: SIMD3<Double>) -> SIMD3<Double>? {
        let length = (vector * vector).sum().squareRoot()
        return length > 0 && length.isFinite ? vector / length : nil
    }

    private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
        let x: Double = a.y * b.z - a.z * b.y
        let y: Double = a.z * b.x - a.x * b.z
        let z: Double = a.x * b.y - a.y * b.x
        return SIMD3(x, y, z)
    }

    /// The quaternion of the rotation whose matrix has the world's axes, as the device sees them, as rows
    /// (Shepperd's way: never a small divisor).
    private static func quaternion(
        rows x: SIMD3<Double>, _ y: SIMD3<Double>, _ z: SIMD3<Double>
    ) -> SIMD4<Double> {
        let trace = x.x + y.y + z.z
        let result: SIMD4<Double>
        if trace >= max(x.x, max(y.y, z.z)) {
            result = SIMD4(1 + trace, z.y - y.z, x.z - z.x, y.x - x.y)
        } else if x.x >= max(y.y, z.z) {
            result = SIMD4(z.y - y.z, 1 + x.x - y.y - z.z, x.y + y.x, x.z + z.x)
        } else if y.y >= z.z {
            result = SIMD4(x.z - z.x, x.y + y.x, 1 - x.x + y.y - z.z, y.z + z.y)
        } else {
            result = SIMD4(y.x - x.y, x.z + z.x, y.z + z.y, 1 - x.x - y.y + z.z)
        }
        return unit(result)
    }
}
