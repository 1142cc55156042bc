// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// One press of a button, as `ButtonLog` reads it from a recording of buttons.
package struct ButtonPress: Sendable, Hashable {
    /// UTC at which it went down; nil while the clock is unknown.
    package let time: Instant?
    /// CLOCK_MONOTONIC at which it went down, in seconds.
    package let uptime: Double
    /// Seconds until it went up; nil where the file ends before, and where the release is said to
    /// come before the press.
    package let duration: Double?
    package let button: String
    /// What the panel took it for; empty = nothing.
    package let meaning: String
    /// How many more times the meaning was repeated while it was held.
    package let repeats: Int
    /// The boot that `uptime` belongs to; nil in foreign files.
    package let bootID: String?

    /// `select (middle)`.
    var text: String { meaning.isEmpty ? "press (\(button))" : "\(meaning) (\(button))" }
}
