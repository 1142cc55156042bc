// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// A light on the panel. Any thread; a call takes microseconds. `SignalPlayer` switches it.
package protocol Indicator: Sendable {
    /// False when it has one colour: meaning must then lie in rhythm, never in colour.
    var isColoured: Bool { get }
    /// Shows a colour, or its brightness where there is only one.
    func show(_ colour: LightColour) throws(SystemError)
    func close()
}

/// A light on a line: on for any colour that is not dark.
package final class GPIOLED: Indicator {
    private let output: GPIOOutput

    package init(_ output: GPIOOutput) { self.output = output }

    package var isColoured: Bool { false }
    /// On for any colour but off. Throws when the kernel refuses the line, EBADF after `close`.
    package func show(_ colour: LightColour) throws(SystemError) { try output.set(colour != .off) }
    /// Dark, and the line is given back.
    package func close() { output.close() }
}
