// SPDX-License-Identifier: Apache-2.0

/// What is measured. The raw value is the `channel` of `studyd.toml` and part of
/// file descriptions.
package enum MeasureKind: String, Sendable, CaseIterable {
    case accelerometer, gyroscope, magnetometer, sound, position, buttons
    /// Computed from what is measured: `[features]` of `studyd.toml`, and no channel of it.
    case features
}
