// SPDX-License-Identifier: Apache-2.0
import Device

/// What replaces the parts that a board file calls `simulated`, provided by the simulation.
///
/// All but the buses are names of real kernel objects (a pipe, a pty, plain files, an ALSA device),
/// which the real code opens (`PartOpener`). Nil, or no entry, means what the board file names.
package struct SimulatedParts: Sendable {
    /// I2C buses, by the bus's name.
    package var buses: [String: any I2CBus] = [:]
    /// A pipe in the place of the input device of simulated buttons.
    package var keys: String?
    /// Folders in the place of /sys/class/leds/NAME, by the light's name.
    package var lights: [String: String] = [:]
    /// In the place of a PWM channel's folder.
    package var buzzer: String?
    /// In the place of a vibration motor: a folder such as that of a PWM channel.
    package var vibration: String?
    /// In the place of the position receiver's serial device.
    package var position: String?
    /// The ALSA devices in the place of microphone and loudspeaker.
    package var microphone: PCMParameters?
    package var loudspeaker: PCMParameters?
    /// The folders in which sensors behind kernel drivers (IIO) are looked up.
    package var kernelChips = IIODevice.Root()

    package init() {}
}
