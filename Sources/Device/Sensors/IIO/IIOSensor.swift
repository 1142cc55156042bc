// SPDX-License-Identifier: Apache-2.0
import Base

/// A sensor behind a driver of the kernel, and how it is asked to measure. Any accelerometer, gyroscope or
/// magnetometer. `MeasuringFit` and `MeasuringPlan` make it from the board file; `IIOReader` reads it.
///
/// A device without a buffer is read sample by sample, at 10 Hz unless said otherwise, each with
/// the time of the read; with one, the kernel stamps each sample. Reading the description changes
/// nothing on the device. Samples are in the chip's own axes, as with chips that are driven here;
/// `mountMatrix` says how it is mounted.
package struct IIOSensor: Sendable {
    /// As a board file names it: node, label or the driver's name.
    package let name: String
    /// What it measures, gyroscope before accelerometer.
    package let kinds: [MeasureKind]
    package let source: SourceDescription
    /// Rows by which a vector of the chip becomes one of the device; nil where the device
    /// tree does not say.
    package let mountMatrix: [[Double]]?
    let hasBuffer: Bool
    let buffer: IIOBuffer.Configuration
    /// The channels of a frame, in its order; the buffer may have the temperature in addition.
    let axes: [String]
    /// nil where the driver has none, or its scale cannot be right.
    let thermometer: IIOThermometer?
    /// Where the device is looked for, and looked for again after it has gone.
    let root: IIODevice.Root

    /// The device measures none of the things that were asked for.
    package struct NotMeasured: ExplainedError, Sendable, Hashable {
        let device: String
        let asked: String
        /// Its channels.
        let possible: String

        package var explanation: Explanation {
            Explanation(cause: "\(device) has no channels that measure \(asked)", remedy: "possible: \(possible)")
        }
    }

    /// The device of that node, label or name under `root`, asked for `measures` (all it has,
    /// unless said otherwise; a magnetometer only alone). Rate and range of the settings must be
    /// among those it has; a watermark of 20 unless said otherwise. Throws `SystemError` when it is
    /// not there, `NotMeasured` where it measures none of them, `SettingError` for a setting that it does not have.
    package init(
        _ name: String, settings: ChipSettings = ChipSettings(), measures: Set<MeasureKind>? = nil,
        root: IIODevice.Root = IIODevice.Root()
    ) throws {
        let device = try IIODevice.find(name, in: root)
        var setup = try IIOSetup(device, measures)
        let rate = try setup.setRate(settings.rate)
        try setup.setRanges(settings)
        hasBuffer = setup.hasBuffer
        let watermark = hasBuffer ? settings.watermark ?? min(20, max(1, Int(rate))) : 1
        guard (1...200).contains(watermark) else {
            throw SettingError(chip: name, setting: "watermark", value: "\(watermark)", possible: "1 to 200")
        }
        self.name = name
        self.root = root
        kinds = setup.measures.map(\.kind)
        mountMatrix = device.mountMatrix(of: setup.measures[0].name)
        axes = setup.measures.flatMap(\.axes)
        thermometer = device.thermometer
        buffer = IIOBuffer.Configuration(
            channels: axes + (thermometer?.isScanned == true ? ["temp"] : []), attributes: setup.attributes,
            watermark: watermark, length: max(4 * watermark, Int(rate * 4)))
        var source = SourceDescription(
            kind: kinds.last ?? .accelerometer, device: device.name, location: "iio \(name)",
            channels: setup.channels, nominalRate: rate, fullScale: setup.fullScale)
        source.temperature = thermometer == nil ? .none : .chip
        self.source = source
    }

    /// Samples per read.
    package var watermark: Int { buffer.watermark }
    /// Samples that its buffer holds.
    package var capacity: Int { hasBuffer ? buffer.length : 1 }
}
