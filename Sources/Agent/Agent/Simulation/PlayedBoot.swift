// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study

/// A span in which a played device has power.
package struct PlayedBoot: Sendable {
    /// The kernel's id of it.
    package let id: String
    package let length: Duration
    /// The power fails at its end; else it ends in good order.
    package let isCut: Bool
    /// Of the participant's wall clock.
    package let zone: Zone
    /// From its start, until a reference vouches for the wall clock; zero = one does at once.
    package let clockKnownAfter: Duration
    /// What the study's servers say, and when it is heard, from its start; in the order of time.
    package let news: [(after: Duration, event: StudyConductor.Event)]

    package init(
        id: String, length: Duration, isCut: Bool, zone: Zone, clockKnownAfter: Duration = .zero,
        news: [(after: Duration, event: StudyConductor.Event)] = []
    ) {
        self.id = id
        self.length = length
        self.isCut = isCut
        self.zone = zone
        self.clockKnownAfter = clockKnownAfter
        self.news = news
    }
}

/// What a played device has around it during one boot, below its real code.
package struct SimulatedSurroundings: Sendable {
    /// Time that passes only by `advance`; its wall side is right after `setClock`.
    package let clock: any StudyClock
    package let advance: @Sendable (MonotonicTime) -> Void
    package let setClock: @Sendable () -> Void
    /// Buses with simulated chips, by their names in the board file.
    package let buses: [String: any I2CBus]
    /// What a receiver says of that moment, NMEA 0183.
    package let sentences: @Sendable (MonotonicTime) -> [UInt8]
    /// Fills a block of the microphone's that begins at its time.
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
