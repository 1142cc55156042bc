// SPDX-License-Identifier: Apache-2.0
import Base

/// What features are computed from: live samples on the device (`FeatureTap`, `RuleTap`), those of recordings
/// in the tools and the lab.
package protocol FeatureSample: Sendable {
    /// UTC; while that is unknown, any clock that does not step.
    var time: Instant { get }
}

/// Acceleration in g.
package struct MotionSample: FeatureSample, BitwiseCopyable {
    package let time: Instant
    package let (x, y, z): (Double, Double, Double)

    package init(time: Instant, x: Double, y: Double, z: Double) {
        self.time = time
        (self.x, self.y, self.z) = (x, y, z)
    }

    var norm: Double { (x * x + y * y + z * z).squareRoot() }
}

/// The LAeq of a second in dB re 20 µPa.
package struct LevelSample: FeatureSample, BitwiseCopyable {
    package let time: Instant
    package let level: Double

    package init(time: Instant, level: Double) { (self.time, self.level) = (time, level) }
}

/// A position in degrees of WGS 84.
package struct PositionSample: FeatureSample, BitwiseCopyable {
    package let time: Instant
    package let latitude: Double
    package let longitude: Double

    package init(time: Instant, latitude: Double, longitude: Double) {
        self.time = time
        (self.latitude, self.longitude) = (latitude, longitude)
    }
}
