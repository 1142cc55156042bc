// SPDX-License-Identifier: Apache-2.0
import Base

/// A chip's own temperature, read once a minute and kept until a frame has carried it.
///
/// `SampledDevice` reads it where `takeDue` says so, gives it to `record`, and calls `clear` once the
/// ring has taken a frame with `centidegrees`.
struct ChipTemperature {
    private static let interval = Duration.seconds(60)
    /// Where chips work, in degrees Celsius; any other value comes from a chip that has no
    /// thermometer after all.
    private static let possible = -45.0...130.0

    private var due = MonotonicTime.zero
    /// For the next frame; `noTemperature` where there is nothing new.
    private(set) var centidegrees = VectorFrame.noTemperature

    /// Whether the chip is to be asked now; then not again for a while, whatever it answers.
    mutating func takeDue(at now: MonotonicTime) -> Bool {
        guard now >= due else { return false }
        due = now + Self.interval
        return true
    }

    mutating func record(_ degrees: Double) {
        if Self.possible.contains(degrees) { centidegrees = Int16((degrees * 100).rounded()) }
    }

    /// A frame has carried it.
    mutating func clear() { centidegrees = VectorFrame.noTemperature }
}
