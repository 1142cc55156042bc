// SPDX-License-Identifier: Apache-2.0

/// What is measured about the device while it records. Absent = not measured, which is never
/// written as a number that could be one.
package struct BoardReadings: Sendable, Hashable {
    /// Volts of the board's battery.
    package var battery: Double?

    package init(battery: Double? = nil) { self.battery = battery }
}
