// SPDX-License-Identifier: Apache-2.0

extension RecordingDescription {
    /// One channel of a recording's file, by which readers scale its numbers:
    /// `value = (number in the file + offset) × scale`. DescriptionJSON.swift writes it key by key: a new field
    /// goes there too, and is optional, since older files lack it.
    package struct ChannelNote: Sendable, Hashable, Codable {
        /// `accel_x`.
        package var name: String
        /// The unit of `value`.
        package var unit: String
        /// Units per number in the file; 1 where the file has the unit itself, as CSV has.
        package var scale: Double
        /// Added to the number in the file before scaling.
        package var offset: Double
        /// The smallest measurable difference, in `unit`; nil in descriptions written before it was
        /// noted.
        package var resolution: Double?
        /// Units per count of the chip, where that is not `scale`.
        package var sensorScale: Double?

        package init(
            name: String, unit: String, scale: Double, offset: Double, resolution: Double? = nil,
            sensorScale: Double? = nil
        ) {
            self.name = name
            self.unit = unit
            self.scale = scale
            self.offset = offset
            self.resolution = resolution
            self.sensorScale = sensorScale
        }
    }
}
