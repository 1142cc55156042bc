// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// A buzzer that hums by itself when its line is on.
public final class LineBuzzer: Buzzer {
    private let output: GPIOOutput

    public init(_ output: GPIOOutput) { self.output = output }

    /// False: the pitch is its own.
    public var hasPitch: Bool { false }
    /// Hums for any frequency. Throws when the kernel refuses the line, EBADF after `close`.
    public func tone(frequency: Double?) throws(SystemError) { try output.set(frequency != nil) }
    /// Silent, and the line is given back.
    public func close() { output.close() }
}
