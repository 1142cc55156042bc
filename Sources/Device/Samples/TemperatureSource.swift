// SPDX-License-Identifier: Apache-2.0

/// What the temperatures of a source are worth, as its driver says (`ChipModel`). The raw value is written to
/// descriptions.
package enum TemperatureSource: String, Sendable {
    case none
    /// The chip's thermometer, calibrated at zero to within some degrees by its datasheet.
    case chip
    /// The chip's thermometer without a calibrated zero: differences are right.
    case relative = "chip-relative"
}
