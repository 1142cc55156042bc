// SPDX-License-Identifier: Apache-2.0

/// What a recorder must know about the device behind a ring, and writes beside its file. Drivers make it
/// (`ChipContext`, `IIOSensor`), or `MeasuringPlan` for microphone and receiver.
package struct SourceDescription: Sendable, Hashable {
    package let kind: MeasureKind
    /// The device: `LIS3DH`, `simulated microphone`, `NEO-6M`.
    package let device: String
    /// Where it is: `i2c-1 0x18`, `/dev/serial0`, `hw:CARD=mic`.
    package let location: String
    /// Its channels in the order of a frame's values.
    package let channels: [Channel]
    /// Samples per second the chip was asked for; its true rate may differ by 10 %. For position:
    /// fixes per second.
    package let nominalRate: Double
    /// Full scale in the channels' unit (2 for ±2 g), 0 where it has none.
    package let fullScale: Double
    /// How the chip is mounted: three rows that turn a vector of its axes into one of the device;
    /// nil = not said. Samples stay in the chip's own axes.
    package var mounting: [[Double]]?
    /// What the whole numbers of each channel mean, by its place: the names of buttons. Empty =
    /// they are numbers.
    package var valueNames: [[String]] = []
    /// The largest error of a stamp in seconds, for what has no rate: key presses, a serial line. 0
    /// = unknown.
    package var stampError = 0.0
    /// Whether frames bring the chip's temperature now and then.
    package var temperature = TemperatureSource.none

    package init(
        kind: MeasureKind, device: String, location: String, channels: [Channel], nominalRate: Double,
        fullScale: Double
    ) {
        self.kind = kind
        self.device = device
        self.location = location
        self.channels = channels
        self.nominalRate = nominalRate
        self.fullScale = fullScale
    }
}
