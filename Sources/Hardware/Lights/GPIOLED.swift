// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// A light on a line: on for any colour that is not dark.
public final class GPIOLED: Indicator {
    private let output: GPIOOutput

    public init(_ output: GPIOOutput) { self.output = output }

    /// False: a line is on or off.
    public var isColoured: Bool { false }
    /// On for any colour but off. Throws when the kernel refuses the line, EBADF after `close`.
    public func show(_ colour: LightColour) throws(SystemError) { try output.set(colour != .off) }
    /// Dark, and the line is given back.
    public func close() { output.close() }
}
