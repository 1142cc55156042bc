// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// Watches the interrupt pin of a simulated chip, which only feels time pass when it is looked at, and raises
/// its line. For tests.
package final class SimulatedPin: PolledDevice {
    package private(set) var due: MonotonicTime
    private let bus: SimulatedI2CBus
    private let address: UInt8
    private let line: SimulatedLine
    private let period: Duration
    private var last: MonotonicTime?

    /// Looks at the pin of the chip at `address` once every `period`; edges carry their exact
    /// time all the same.
    package init(
        of address: UInt8, on bus: SimulatedI2CBus, line: SimulatedLine, every period: Duration = .milliseconds(1),
        start: MonotonicTime
    ) {
        self.bus = bus
        self.address = address
        self.line = line
        self.period = period
        due = start
    }

    /// Looks once, and raises the line when the pin rose since the last look. On the bus's thread.
    package func serve(at now: MonotonicTime) {
        due = now + period
        guard let rise = bus.pinHighSince(address), rise != last else { return }
        last = rise
        line.rise(at: rise)
    }
}
