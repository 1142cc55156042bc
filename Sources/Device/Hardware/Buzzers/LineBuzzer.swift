// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// A buzzer that hums by itself when its line is on.
package final class LineBuzzer: Buzzer {
    private let output: GPIOOutput

    package init(_ output: GPIOOutput) { self.output = output }

    package var hasPitch: Bool { false }
    /// Hums for any frequency. Throws when the kernel refuses the line, EBADF after `close`.
    package func tone(frequency: Double?) throws(SystemError) { try output.set(frequency != nil) }
    /// Silent, and the line is given back.
    package func close() { output.close() }
}
