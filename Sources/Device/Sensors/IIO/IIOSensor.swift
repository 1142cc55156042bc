// SPDX-License-Identifier: Apache-2.0
import Base

/// A sensor behind a driver of the kernel, and how it is asked to measure. Any accelerometer,
/// gyroscope or magnetometer.
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
    /// What a recorder must know of it.
    package let source: SourceDescription
    /// Rows by which a vector of the chip becomes one of the device; nil where the device
    /// tree does not say.
    package let mountMatrix: [[Double]]?
    /// Its driver has a buffer.
    let hasBuffer: Bool
    /// How the buffer is opened.
    let buffer: IIOBuffer.Configuration
    /// The channels of a frame, in its order; the buffer may have the temperature in addition.
    let axes: [String]
    /// nil where the driver has none, or its scale cannot be right.
    let thermometer: IIOThermometer?
    /// Where the device is looked for, and looked for again after it has gone.
    let root: IIODevice.Root

    /// The device measures none of the things that were asked for.
    package struct NotMeasured: ExplainedError, Sendable, Hashable {
        fileprivate let device: String
        fileprivate let asked: String
        /// Its channels.
        fileprivate let possible: String

        package var explanation: Explanation {
            Explanation(cause: "\(device) has no channels that measure \(asked)", remedy: "possible: \(possible)")
        }
    }

    /// What a kind of measure is called in IIO, and how many of the channels' units one IIO unit is.
    private struct Kind: Sendable {
        let measure: MeasureKind
        let name: String
        let unit: Double
        let channels: @Sendable (Double) -> [Channel]
    }

    /// IIO's units are m/s², rad/s and gauss. A frame has gyroscope before accelerometer.
    private static let allKinds = [
        Kind(measure: .gyroscope, name: "anglvel", unit: 180 / Double.pi, channels: { Channel.rotation(scale: $0) }),
        Kind(measure: .accelerometer, name: "accel", unit: 1 / 9.80665, channels: { Channel.acceleration(scale: $0) }),
        Kind(measure: .magnetometer, name: "magn", unit: 100, channels: { Channel.magneticField(scale: $0) }),
    ]

    /// The device of that node, label or name under `root`, asked for `measures` (all it has,
    /// unless said otherwise; a magnetometer only alone). Rate and range of the settings must be
    /// among those it has; a watermark of 20 unless said otherwise. Throws `SystemError` when it is
    /// not there, `NotMeasured` where it measures none of them, `SettingError` for a setting that it does not have.
    package init(
        _ name: String, settings: ChipSettings = ChipSettings(), measures: Set<MeasureKind>? = nil,
        root: IIODevice.Root = IIODevice.Root()
    ) throws {
        let device = try IIODevice.find(name, in: root)
        let kinds = try Self.kinds(of: device, measures)
        let names = kinds.flatMap { kind in ["x", "y", "z"].map { "\(kind.name)_\($0)" } }
        var attributes: [IIOBuffer.Configuration.Attribute] = []
        let rate = try Self.rate(device, kinds, settings, &attributes)
        var fullScale = 0.0
        var channels: [Channel] = []
        for kind in kinds {
            let asked = kind.measure == .gyroscope ? settings.rotationRange : settings.range
            let scale = try Self.scale(device, kind, asked, &attributes)
            channels += try Self.channels(device, kind, chosen: scale)
            // That of the last kind stays, which is also the source's kind.
            fullScale = (channels.last?.scale ?? 0) * Self.largestCount(device, kind)
        }
        hasBuffer = !device.channels.isEmpty
        let watermark = hasBuffer ? settings.watermark ?? min(20, max(1, Int(rate))) : 1
        guard (1...200).contains(watermark) else {
            throw SettingError(chip: name, setting: "watermark", value: "\(watermark)", possible: "1 to 200")
        }
        self.name = name
        self.root = root
        self.kinds = kinds.map(\.measure)
        mountMatrix = device.mountMatrix(of: kinds[0].name)
        axes = names
        let thermometer = device.thermometer
        self.thermometer = thermometer
        buffer = IIOBuffer.Configuration(
            channels: names + (thermometer?.isScanned == true ? ["temp"] : []), attributes: attributes,
            watermark: watermark, length: max(4 * watermark, Int(rate * 4)))
        var source = SourceDescription(
            kind: kinds.last?.measure ?? .accelerometer, device: device.name, location: "iio \(name)",
            channels: channels,
            nominalRate: rate, fullScale: fullScale)
        source.temperature = thermometer == nil ? .none : .chip
        self.source = source
    }

    /// Samples per read.
    package var watermark: Int { buffer.watermark }
    /// Samples that its buffer holds.
    package var capacity: Int { hasBuffer ? buffer.length : 1 }

    /// The kinds that are asked for and that the device has.
    private static func kinds(of device: IIODevice, _ measures: Set<MeasureKind>?) throws -> [Kind] {
        let there = device.channels.map(\.name)
        let possible = allKinds.filter { kind in
            ["x", "y", "z"].allSatisfy { axis in
                let name = "\(kind.name)_\(axis)"
                return there.isEmpty ? device.folder.has("in_\(name)_raw") : there.contains(name)
            }
        }
        var chosen = possible.filter { measures?.contains($0.measure) ?? true }
        if chosen.count > 1, measures == nil || chosen.count > 2 { chosen.removeAll { $0.measure == .magnetometer } }
        guard !chosen.isEmpty else {
            throw NotMeasured(
                device: device.name,
                asked: measures?.map(\.rawValue).sorted().joined(separator: ", ") ?? "motion or field",
                possible: there.isEmpty ? "none of three axes" : there.joined(separator: ", "))
        }
        return chosen
    }

    /// The rate that is asked for, which is added to `attributes`, or the one that the device has now.
    private static func rate(
        _ device: IIODevice, _ kinds: [Kind], _ settings: ChipSettings,
        _ attributes: inout [IIOBuffer.Configuration.Attribute]
    ) throws -> Double {
        for kind in kinds {
            guard let attribute = device.rateAttribute(of: kind.name) else { continue }
            let available = device.available(attribute)
            if let asked = settings.rate {
                if !available.isEmpty {
                    _ = try choose(
                        asked, of: available.map { ($0, 0) }, as: "rate", chip: device.name, spell: plain)
                }
                let setting = IIOBuffer.Configuration.Attribute(attribute, plain(asked))
                if !attributes.contains(setting) { attributes.append(setting) }
            }
        }
        let attribute = kinds.lazy.compactMap { device.rateAttribute(of: $0.name) }.first
        let current = attribute.flatMap { try? device.folder.read($0) }.flatMap { Double($0) }
        // Without a buffer `IIOReader` paces the device, at whatever rate.
        let paced: Double? = device.channels.isEmpty ? settings.rate ?? 10 : nil
        let rate = attributes.isEmpty ? current ?? paced : settings.rate
        guard let rate, (0.001...100_000).contains(rate) else {
            throw SettingError(
                chip: device.name, setting: "rate", value: "that can be read",
                possible: "one whose driver has sampling_frequency")
        }
        return rate
    }

    /// The raw count at full scale: 2048 for twelve bits; 16 bits are assumed where none are known.
    private static func largestCount(_ device: IIODevice, _ kind: Kind) -> Double {
        let bits = device.channels.first { $0.name == "\(kind.name)_x" }?.type.bits ?? 16
        return Double(UInt64(1) << UInt64(max(0, bits - 1)))
    }

    /// The scale, in IIO's units, of the smallest full scale that holds the range, which is added to
    /// `attributes`; nil to leave it as it is.
    private static func scale(
        _ device: IIODevice, _ kind: Kind, _ range: Double?,
        _ attributes: inout [IIOBuffer.Configuration.Attribute]
    ) throws -> Double? {
        guard let range else { return nil }
        let attribute = "in_\(kind.name)_scale"
        let texts = ((try? device.folder.read("\(attribute)_available")) ?? "").split(separator: " ").map(String.init)
        // Without a buffer nothing says how many bits a number has, and so how far a scale reaches.
        let scales = (device.channels.isEmpty ? [] : texts).compactMap { text in
            Double(text).map { (text: text, value: $0) }
        }.sorted { $0.value < $1.value }
        let largest = largestCount(device, kind)
        // Nominal ranges are rounded: ±2 g may be 1.99.
        guard let found = scales.first(where: { $0.value * kind.unit * largest >= range * 0.98 }) else {
            let possible = scales.map { plain(($0.value * kind.unit * largest).rounded()) }
            throw SettingError(
                chip: device.name, setting: "range", value: plain(range),
                possible: possible.isEmpty ? "only the one its driver sets" : possible.joined(separator: ", "))
        }
        attributes.append(.init(attribute, found.text))
        return found.value
    }

    private static func channels(_ device: IIODevice, _ kind: Kind, chosen: Double?) throws -> [Channel] {
        try kind.channels(1).enumerated().map { axis, channel in
            let name = "\(kind.name)_\(["x", "y", "z"][axis])"
            guard let scale = chosen ?? device.number("scale", of: name), scale != 0 else {
                throw SettingError(
                    chip: device.name, setting: "scale", value: "of \(name) that can be read",
                    possible: "in_\(name)_scale")
            }
            return Channel(
                name: channel.name, unit: channel.unit, scale: scale * kind.unit,
                offset: device.number("offset", of: name) ?? 0)
        }
    }
}
