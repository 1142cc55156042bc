// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// What a `PlayedDevice` has around it during one boot, below its real code; `studyd-tools make-study` provides it.
package struct SimulatedSurroundings: Sendable {
    /// Time passes only by `advance`, which moves it to a moment. Its wall clock is right after `setClock`,
    /// which is called when the clock becomes trusted.
    package let clock: any StudyClock
    package let advance: @Sendable (MonotonicTime) -> Void
    package let setClock: @Sendable () -> Void
    package let buses: [String: any I2CBus]
    /// The NMEA 0183 sentences that a GPS receiver sends for that moment.
    package let sentences: @Sendable (MonotonicTime) -> [UInt8]
    /// Fills a block of the microphone's sound; the frame's `time` is its beginning.
    package let hear: @Sendable (inout SoundFrame) -> Void
    /// The participant is asleep, or not where the device is: nothing is pressed.
    package let isAway: @Sendable (MonotonicTime) -> Bool

    package init(
        clock: any StudyClock, advance: @escaping @Sendable (MonotonicTime) -> Void,
        setClock: @escaping @Sendable () -> Void, buses: [String: any I2CBus],
        sentences: @escaping @Sendable (MonotonicTime) -> [UInt8],
        hear: @escaping @Sendable (inout SoundFrame) -> Void, isAway: @escaping @Sendable (MonotonicTime) -> Bool
    ) {
        (self.clock, self.advance, self.setClock, self.buses) = (clock, advance, setClock, buses)
        (self.sentences, self.hear, self.isAway) = (sentences, hear, isAway)
    }
}
