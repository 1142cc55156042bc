// SPDX-License-Identifier: Apache-2.0

/// What the devices of a panel tell. Declared once: it is passed down unchanged from the shell that
/// has the devices to the question that waits for it.
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
