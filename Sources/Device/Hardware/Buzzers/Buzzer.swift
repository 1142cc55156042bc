// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// Something that sounds. Any thread; a call takes microseconds. `SignalPlayer` makes the panel's signals sound
/// on it.
package protocol Buzzer: Sendable {
    /// False when it knows only its own pitch: meaning must then lie in rhythm.
    var hasPitch: Bool { get }
    /// Sounds at that many hertz until the next call; nil is silence.
    func tone(frequency: Double?) throws(SystemError)
    func close()
}

/// An active buzzer: it sounds, at its own pitch, while its line is on.
package final class LineBuzzer: Buzzer {
    private let output: GPIOOutput

    package init(_ output: GPIOOutput) { self.output = output }

    package var hasPitch: Bool { false }
    /// Hums for any frequency. Throws when the kernel refuses the line, EBADF after `close`.
    package func tone(frequency: Double?) throws(SystemError) { try output.set(frequency != nil) }
    /// Silent, and the line is given back.
    package func close() { output.close() }
}
