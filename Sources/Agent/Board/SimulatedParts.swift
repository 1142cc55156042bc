// SPDX-License-Identifier: Apache-2.0
import Hardware

/// What stands in for the parts that a board file calls `simulated`: given by whoever simulates them.
///
/// All but the buses are names of real kernel objects (a pipe, a pty, plain files, an ALSA device), which the real code opens.
public struct SimulatedParts: Sendable {
    /// By the bus's name.
    public var buses: [String: any I2CBus] = [:]
    /// In the place of an input device.
    public var keys: String?
    /// Folders in the place of /sys/class/leds/NAME, by the light's name.
    public var lights: [String: String] = [:]
    /// In the place of a PWM channel's folder.
    public var buzzer: String?
    /// In the place of a vibration motor: a folder such as that of a PWM channel.
    public var vibration: String?
    /// In the place of a serial device.
    public var position: String?
    /// In the place of the board's microphone; nil = the device the board names.
    public var microphone: PCMParameters?
    /// In the place of the board's loudspeaker; nil = the device the board names.
    public var loudspeaker: PCMParameters?

    public init() {}
}
