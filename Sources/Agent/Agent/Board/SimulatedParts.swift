// SPDX-License-Identifier: Apache-2.0
import Device

/// What replaces the parts that a board file calls `simulated`, provided by the simulation.
///
/// All but the buses are names of real kernel objects (a pipe, a pty, plain files, an ALSA device),
/// which the real code opens.
package struct SimulatedParts: Sendable {
    /// By the bus's name.
    package var buses: [String: any I2CBus] = [:]
    /// In the place of an input device.
    package var keys: String?
    /// Folders in the place of /sys/class/leds/NAME, by the light's name.
    package var lights: [String: String] = [:]
    /// In the place of a PWM channel's folder.
    package var buzzer: String?
    /// In the place of a vibration motor: a folder such as that of a PWM channel.
    package var vibration: String?
    /// In the place of a serial device.
    package var position: String?
    /// In the place of the board's microphone; nil = the device the board names.
    package var microphone: PCMParameters?
    /// In the place of the board's loudspeaker; nil = the device the board names.
    package var loudspeaker: PCMParameters?
    /// Where sensors behind drivers of the kernel are.
    package var kernelChips = IIODevice.Root()

    package init() {}
}
