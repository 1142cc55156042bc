// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc

/// The way from fix to fix, for exports and plots of positions. `add` makes a fix the last one, so `bearing`
/// comes before it.
package struct DistancePath {
    private var last: (latitude: Double, longitude: Double)?
    private var total = 0.0
    private var start: Instant?

    package init() {}

    /// Metres since the last fix, nil at the first; and of the whole way, nil while not moving.
    package mutating func add(
        _ position: (latitude: Double, longitude: Double), isMoving: Bool
    ) -> (relative: Double?, total: Double?) {
        let relative = last.map { Self.metres($0, position) }
        last = position
        if isMoving { total += relative ?? 0 }
        return (relative, isMoving ? total : nil)
    }

    /// Direction of `position` from the last fix, in radians from north to east, [0, 2π); nil at the first fix, and
    /// where nothing moved.
    package func bearing(to position: (latitude: Double, longitude: Double)) -> Double? {
        guard let last, last != position else { return nil }
        let unit = Double.pi / 180
        let east = (position.longitude - last.longitude) * unit
        let (from, to) = (last.latitude * unit, position.latitude * unit)
        let angle = atan2(sin(east) * cos(to), cos(from) * sin(to) - sin(from) * cos(to) * cos(east))
        return angle < 0 ? angle + 2 * .pi : angle
    }

    /// Seconds since the first fix.
    package mutating func seconds(at time: Instant) -> Double {
        let start = self.start ?? time
        self.start = start
        return (time - start).seconds
    }

    /// Along the great circle, by the haversine formula on a sphere of 6 371 008.8 m.
    package static func metres(
        _ from: (latitude: Double, longitude: Double), _ to: (latitude: Double, longitude: Double)
    ) -> Double {
        let unit = Double.pi / 180
        let north = sin((to.latitude - from.latitude) * unit / 2)
        let east = sin((to.longitude - from.longitude) * unit / 2)
        let share = north * north + cos(from.latitude * unit) * cos(to.latitude * unit) * east * east
        return 2 * 6_371_008.8 * asin(min(1, share.squareRoot()))
    }
}
