// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc

/// Finds where someone stayed: within 100 m of a first position, for 5 minutes or more. `Visits` has one.
///
/// Li et al. 2008, doi:10.1145/1463434.1463477, as PyPI's trackintel has it (`generate_staypoints`,
/// method sliding): a stay ends with the first position beyond 100 m; one that is cut off by a gap of more
/// than 15 minutes does not count.
package struct StayPoints: Sendable {
    package struct Stay: Sendable, Hashable {
        package let start: Instant
        /// The time of the first position outside the radius.
        package let end: Instant
        package let latitude: Double
        package let longitude: Double
    }

    /// The radius in metres, the shortest stay, and the longest gap within one.
    static let (distance, time, gap) = (100.0, Duration.seconds(300), Duration.seconds(900))
    /// The first position of the stay in progress, and the time of the last.
    private var first: PositionSample?
    private var last: Instant?
    /// Sums over the stay, for its mean position.
    private var count = 0.0
    private var latitudes = 0.0
    private var (east, north) = (0.0, 0.0)

    package init() {}

    /// From the first position of the present stay, or of what may become one, to the last; nil
    /// without a position.
    package var dwell: Duration? { first.flatMap { first in last.map { $0 - first.time } } }

    /// Takes the next position; returns the stay that ended with it.
    package mutating func add(_ sample: PositionSample) -> Stay? {
        defer { last = sample.time }
        guard let first, let last, sample.time - last <= Self.gap else {
            begin(sample)
            return nil
        }
        guard Self.metres(first, sample) >= Self.distance else {
            include(sample)
            return nil
        }
        let stay = sample.time - first.time >= Self.time ? stay(from: first.time, to: sample.time) : nil
        begin(sample)
        return stay
    }

    /// Positions are missing before the next: the stay in progress does not count.
    package mutating func restart() { (first, last) = (nil, nil) }

    private mutating func begin(_ sample: PositionSample) {
        first = sample
        (count, latitudes, east, north) = (0, 0, 0, 0)
        include(sample)
    }

    /// Longitudes are averaged as directions: 180° and −180° are one.
    private mutating func include(_ sample: PositionSample) {
        count += 1
        latitudes += sample.latitude
        let angle = sample.longitude * .pi / 180
        (east, north) = (east + sin(angle), north + cos(angle))
    }

    private func stay(from start: Instant, to end: Instant) -> Stay {
        Stay(
            start: start, end: end, latitude: latitudes / count,
            longitude: atan2(east / count, north / count) * 180 / .pi)
    }

    /// By the haversine on a sphere of 6,371 km.
    static func metres(_ one: PositionSample, _ other: PositionSample) -> Double {
        let (a, b) = (one.latitude * .pi / 180, other.latitude * .pi / 180)
        let (up, along) = (sin((b - a) / 2), sin((other.longitude - one.longitude) * .pi / 360))
        return 2 * 6_371_000 * asin(min(1, (up * up + cos(a) * cos(b) * along * along).squareRoot()))
    }
}
