// SPDX-License-Identifier: Apache-2.0
import Base

/// What goes wrong on a `SimulatedI2CBus`, and when: tests inject it.
package enum BusFault: Sendable, Hashable {
    /// The chip at the address does not acknowledge.
    case noAcknowledge(address: UInt8, during: Range<MonotonicTime>)
    /// The chip at the address is unplugged as long as this file exists.
    case unplugged(address: UInt8, whileThereIs: String)
    /// A line is held low: every transaction times out.
    case stuck(during: Range<MonotonicTime>)
    /// Bits of what is read are flipped, each with that probability.
    case bitErrors(probability: Double, during: Range<MonotonicTime>)
    /// The chip's supply is interrupted for a moment: it still answers, but has forgotten everything.
    case powerLoss(address: UInt8, at: MonotonicTime)
    /// The chip answers as usual, but takes no sample.
    case measuresNothing(address: UInt8, during: Range<MonotonicTime>)
    /// The chip at the address acknowledges, but every byte read from it is replaced.
    case answers(GarbledAnswer, address: UInt8, during: Range<MonotonicTime>)
}

/// The bytes that a broken chip answers with (`BusFault.answers`).
package enum GarbledAnswer: Sendable, Hashable {
    /// The same byte, as from a data line that is stuck.
    case always(UInt8)
    case random
}
