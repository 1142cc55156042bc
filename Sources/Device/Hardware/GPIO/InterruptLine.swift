// SPDX-License-Identifier: Apache-2.0
import Base
import CGPIO
import SystemKit

/// The line from a chip's interrupt pin: becomes readable at each rising edge, and
/// knows when that was.
///
/// Lives on its bus's thread: `BusThread` waits for the edge, `SampledDevice` fetches the samples. A GPIO line
/// of the kernel, one that may be missing (`AwaitedLine`), or a simulated one.
package protocol InterruptLine: AnyObject {
    /// What becomes readable at an edge.
    var descriptor: CInt { get }
    var isThere: Bool { get }
    /// CLOCK_MONOTONIC of the newest edge that waits, as the kernel stamped it; takes all that
    /// wait. nil when none does. Never blocks, allocates nothing.
    func readEdge() throws(SystemError) -> MonotonicTime?
}

extension InterruptLine {
    package var isThere: Bool { true }
}

/// An interrupt line on a GPIO chip: `/dev/gpiochip0:25`.
package final class GPIOInterruptLine: InterruptLine {
    private let lines: GPIOLines

    /// Takes the line; `isActiveLow` where the chip pulls it down to interrupt.
    package init(chip: String, line: UInt32, isActiveLow: Bool = false) throws(GPIOError) {
        lines = try GPIOLines(chip: chip, lines: [line], isActiveLow: isActiveLow)
    }

    /// Becomes readable when the line rose. Owned by the line request, so it must not be closed.
    package var descriptor: CInt { lines.descriptor }

    /// Takes all edges that wait; CLOCK_MONOTONIC of the newest, stamped in the kernel's interrupt
    /// handler. On the bus's thread alone.
    package func readEdge() throws(SystemError) -> MonotonicTime? { try lines.readNewestRise() }
}
