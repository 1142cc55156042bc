// SPDX-License-Identifier: Apache-2.0
import Base

/// A valid position as it goes through a ring, from `PositionWatch` to `FeatureTap`.
package struct PlaceFrame: Sendable, BitwiseCopyable {
    /// CLOCK_MONOTONIC at which the first byte of the receiver's sentences about it was read.
    package let time: MonotonicTime
    /// Degrees of WGS 84.
    package let (latitude, longitude): (Double, Double)

    package init(time: MonotonicTime, latitude: Double, longitude: Double) {
        self.time = time
        (self.latitude, self.longitude) = (latitude, longitude)
    }
}
