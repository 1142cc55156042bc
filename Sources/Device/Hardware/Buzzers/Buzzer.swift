// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// Something that sounds. Any thread; a call takes microseconds.
package protocol Buzzer: Sendable {
    /// False when it knows only its own pitch: meaning must then lie in rhythm.
    var hasPitch: Bool { get }
    /// Sounds at that many hertz until the next call; nil is silence.
    func tone(frequency: Double?) throws(SystemError)
    func close()
}
