// SPDX-License-Identifier: Apache-2.0
import Base

/// A chip as `SimulatedI2CBus` sees it: bytes in, bytes out, and time passing.
///
/// A conformance repeats the register numbers of its datasheet on purpose: sharing the driver's
/// would hide its mistakes.
package protocol SimulatedChip: Sendable {
    /// The 7-bit address it answers at.
    var address: UInt8 { get }
    /// False while it is cut off from the bus: behind a switch that is open.
    var isConnected: Bool { get }
    /// Lets time pass up to `now`, and takes the samples that are due.
    mutating func advance(to now: MonotonicTime)
    /// Lets time pass without taking samples.
    mutating func skipSamples(to now: MonotonicTime)
    /// The bus is busy with addressing for `time` before an operation, in which the chip has time to work.
    mutating func workDuringAddressing(_ time: Duration)
    /// The bytes of one write operation: a sub-address, then data.
    mutating func write(_ bytes: [UInt8])
    /// The bytes of one read operation.
    mutating func read(_ count: Int) -> [UInt8]
    /// Interrupts the supply: everything is as after power-on.
    mutating func powerCycle(at now: MonotonicTime)
    /// When its interrupt pin rose; nil while the pin is low or not modelled.
    var pinHighSince: MonotonicTime? { get }
}

extension SimulatedChip {
    package mutating func workDuringAddressing(_ time: Duration) {}
    /// The same as `advance`: right for a chip that takes no samples.
    package mutating func skipSamples(to now: MonotonicTime) { advance(to: now) }
    package var pinHighSince: MonotonicTime? { nil }
    package var isConnected: Bool { true }
}
