// SPDX-License-Identifier: Apache-2.0

/// A measure as IIO names it.
struct IIOMeasure: Sendable {
    let kind: MeasureKind
    /// `accel` in `in_accel_x_raw`.
    let name: String
    /// One of IIO's units (m/s², rad/s, gauss) in the unit of the channels.
    let unit: Double
    let channels: @Sendable (_ scale: Double) -> [Channel]

    /// In the order of a frame.
    static let all = [
        IIOMeasure(kind: .gyroscope, name: "anglvel", unit: 180 / Double.pi, channels: { Channel.rotation(scale: $0) }),
        IIOMeasure(
            kind: .accelerometer, name: "accel", unit: 1 / 9.80665, channels: { Channel.acceleration(scale: $0) }),
        IIOMeasure(kind: .magnetometer, name: "magn", unit: 100, channels: { Channel.magneticField(scale: $0) }),
    ]

    /// `accel_x`, `accel_y`, `accel_z`.
    var axes: [String] { ["x", "y", "z"].map { "\(name)_\($0)" } }
}
