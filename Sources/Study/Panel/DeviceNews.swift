// SPDX-License-Identifier: Apache-2.0

/// What the devices of a panel report. The agent's loop, which has the devices, passes it unchanged through
/// `StudyConductor`, `PanelSession` and `TaskRun` to the question that waits for it.
package enum DeviceNews: Sendable, Hashable {
    /// The voice memo of that id could not be recorded.
    case recordingFailed(String)
    /// The sound that was to be played cannot be.
    case soundFailed
    /// A marked step of a signal was shown.
    case shown(ShownLight)
    /// The answer to `takePosition`, in degrees.
    case position(latitude: Double, longitude: Double)
    /// The other answer to `takePosition`: there is no fix.
    case noPosition
    /// The answer to `takeReading`; nil = it could not be measured.
    case reading([Double]?)
}
