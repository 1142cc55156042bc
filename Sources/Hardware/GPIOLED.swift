// SPDX-License-Identifier: Apache-2.0

/// A light on a line: on for any colour that is not dark.
public final class GPIOLED: Indicator {
    private let output: GPIOOutput

    /// A light on that line.
    public init(_ output: GPIOOutput) { self.output = output }

    public var isColoured: Bool { false }
    public func show(_ colour: LightColour) throws(SystemError) { try output.set(colour != .off) }
    public func close() { output.close() }
}
