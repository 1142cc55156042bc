// SPDX-License-Identifier: Apache-2.0
import Base

/// A chip as its bus sees it: bytes in, bytes out, and time passing.
///
/// A conformance repeats the register numbers of its datasheet on purpose: sharing the driver's
/// would hide its mistakes.
package protocol SimulatedChip: Sendable {
    /// The 7-bit address it answers at.
    var address: UInt8 { get }
    /// False while it is cut off from the bus: behind a switch that is open.
    var isConnected: Bool { get }
    /// Time passes: samples are taken.
    mutating func advance(to now: MonotonicTime)
    /// Time passes, and no sample is taken.
    mutating func skipSamples(to now: MonotonicTime)
    /// The bus is busy with addressing for `time` before an operation, in which the chip has time to work.
    mutating func workDuringAddressing(_ time: Duration)
    /// The bytes of one write operation: a sub-address, then data.
    mutating func write(_ bytes: [UInt8])
    /// The bytes of one read operation.
    mutating func read(_ count: Int) -> [UInt8]
    /// The supply was interrupted: everything is as after power-on.
    mutating func powerCycle(at now: MonotonicTime)
    /// When its interrupt pin rose; nil while the pin is low or not modelled.
    var pinHighSince: MonotonicTime? { get }
}

extension SimulatedChip {
    package mutating func workDuringAddressing(_ time: Duration) {}
    /// The same as `advance`: right for a chip that takes no samples.
    package mutating func skipSamples(to now: MonotonicTime) { advance(to: now) }
    package var pinHighSince: MonotonicTime? { nil }
}

extension SimulatedChip {
    package var isConnected: Bool { true }
}
