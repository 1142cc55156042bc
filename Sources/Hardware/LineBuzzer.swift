// SPDX-License-Identifier: Apache-2.0

/// A buzzer that hums by itself when its line is on.
public final class LineBuzzer: Buzzer {
    private let output: GPIOOutput

    /// A buzzer on that line.
    public init(_ output: GPIOOutput) { self.output = output }

    public var hasPitch: Bool { false }
    public func tone(frequency: Double?) throws(SystemError) { try output.set(frequency != nil) }
    public func close() { output.close() }
}
