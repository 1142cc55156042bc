// SPDX-License-Identifier: Apache-2.0

/// One axis or column of a source: `value = (raw + offset) × scale`, the Linux IIO convention. Drivers say
/// theirs in a `SourceDescription`; file writers and whatever reads raw samples convert by it.
package struct Channel: Sendable, Hashable {
    /// Short name: `accel_x`, `mag_z`, `level`.
    package let name: String
    package let unit: Unit
    /// Units per raw count.
    package let scale: Double
    /// Raw counts added before scaling.
    package let offset: Double
    /// The smallest measurable difference, in the unit: the scale, or more where the lowest bits of
    /// a count are always 0.
    package let resolution: Double

    /// A channel of that scale; its resolution is the scale unless said otherwise.
    package init(name: String, unit: Unit, scale: Double, offset: Double = 0, resolution: Double? = nil) {
        self.name = name
        self.unit = unit
        self.scale = scale
        self.offset = offset
        self.resolution = resolution ?? abs(scale)
    }

    package func value(_ raw: Int32) -> Double { (Double(raw) + offset) * scale }
}

extension Channel {
    /// Three axes in g.
    package static func acceleration(scale: Double, resolution: Double? = nil) -> [Channel] {
        axes("accel", .standardGravity, scale, resolution)
    }
    /// Three axes in deg/s.
    package static func rotation(scale: Double) -> [Channel] { axes("gyro", .degreesPerSecond, scale) }
    /// Three axes in µT.
    package static func magneticField(scale: Double) -> [Channel] { axes("mag", .microtesla, scale) }

    private static func axes(
        _ name: String, _ unit: Unit, _ scale: Double, _ resolution: Double? = nil
    ) -> [Channel] {
        ["x", "y", "z"].map { Channel(name: "\(name)_\($0)", unit: unit, scale: scale, resolution: resolution) }
    }
}
