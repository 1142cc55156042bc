// SPDX-License-Identifier: Apache-2.0

/// Chooses what an IIO device measures, at which rate and range, and collects the attributes that must be
/// written for that. Only reads the device. `setRate` before `setRanges`. `IIOSensor` uses one while it is
/// made.
struct IIOSetup {
    let measures: [IIOMeasure]
    private(set) var attributes: [IIOBuffer.Configuration.Attribute] = []
    /// In the order of a frame.
    private(set) var channels: [Channel] = []
    /// That of the last measure, which is also the source's kind.
    private(set) var fullScale = 0.0

    private let device: IIODevice
    /// Empty without a buffer.
    private let bufferChannels: [IIODevice.Channel]

    /// Throws `IIOSensor.NotMeasured` where the device has none of the measures asked for.
    init(_ device: IIODevice, _ asked: Set<MeasureKind>?) throws {
        self.device = device
        bufferChannels = device.channels
        measures = try Self.measures(of: device, bufferChannels.map(\.name), asked)
    }

    var hasBuffer: Bool { !bufferChannels.isEmpty }

    private static func measures(
        of device: IIODevice, _ names: [String], _ asked: Set<MeasureKind>?
    ) throws -> [IIOMeasure] {
        let possible = IIOMeasure.all.filter { measure in
            measure.axes.allSatisfy { names.isEmpty ? device.folder.has("in_\($0)_raw") : names.contains($0) }
        }
        var chosen = possible.filter { asked?.contains($0.kind) ?? true }
        if chosen.count > 1, asked == nil || chosen.count > 2 { chosen.removeAll { $0.kind == .magnetometer } }
        guard !chosen.isEmpty else {
            throw IIOSensor.NotMeasured(
                device: device.name,
                asked: asked?.map(\.rawValue).sorted().joined(separator: ", ") ?? "motion or field",
                possible: names.isEmpty ? "none of three axes" : names.joined(separator: ", "))
        }
        return chosen
    }

    /// Returns the rate that is asked for, or the one that the device has now.
    mutating func setRate(_ asked: Double?) throws -> Double {
        for measure in measures {
            guard let asked, let attribute = device.rateAttribute(of: measure.name) else { continue }
            let available = device.available(attribute)
            if !available.isEmpty {
                _ = try choose(asked, of: available.map { ($0, 0) }, as: "rate", chip: device.name, spell: plain)
            }
            let setting = IIOBuffer.Configuration.Attribute(name: attribute, value: plain(asked))
            if !attributes.contains(setting) { attributes.append(setting) }
        }
        // Without a buffer `IIOReader` paces the device, at whatever rate.
        let paced: Double? = hasBuffer ? nil : asked ?? 10
        let rate = attributes.isEmpty ? currentRate ?? paced : asked
        guard let rate, (0.001...100_000).contains(rate) else {
            throw SettingError(
                chip: device.name, setting: "rate", value: "that can be read",
                possible: "one whose driver has sampling_frequency")
        }
        return rate
    }

    private var currentRate: Double? {
        let attribute = measures.lazy.compactMap { [device] in device.rateAttribute(of: $0.name) }.first
        return attribute.flatMap { try? device.folder.read($0) }.flatMap { Double($0) }
    }

    /// Chooses for each measure the smallest full scale that holds the range asked for, or leaves it as it is.
    mutating func setRanges(_ settings: ChipSettings) throws {
        for measure in measures {
            let asked = measure.kind == .gyroscope ? settings.rotationRange : settings.range
            let scale = try asked.map { try setScale(of: measure, range: $0) }
            channels += try scaledChannels(of: measure, scale)
            fullScale = (channels.last?.scale ?? 0) * largestCount(measure)
        }
    }

    /// Returns the scale in IIO's units.
    private mutating func setScale(of measure: IIOMeasure, range: Double) throws -> Double {
        let attribute = "in_\(measure.name)_scale"
        let texts = ((try? device.folder.read("\(attribute)_available")) ?? "").split(separator: " ").map(String.init)
        // Without a buffer nothing says how many bits a number has, and so how far a scale reaches.
        let scales = (hasBuffer ? texts : []).compactMap { text in
            Double(text).map { (text: text, value: $0) }
        }.sorted { $0.value < $1.value }
        let largest = largestCount(measure)
        // Nominal ranges are rounded: ±2 g may be 1.99.
        guard let found = scales.first(where: { $0.value * measure.unit * largest >= range * 0.98 }) else {
            let possible = scales.map { plain(($0.value * measure.unit * largest).rounded()) }
            throw SettingError(
                chip: device.name, setting: "range", value: plain(range),
                possible: possible.isEmpty ? "only the one its driver sets" : possible.joined(separator: ", "))
        }
        attributes.append(.init(name: attribute, value: found.text))
        return found.value
    }

    /// The raw count at full scale: 2048 for twelve bits; 16 bits are assumed where none are known.
    private func largestCount(_ measure: IIOMeasure) -> Double {
        let bits = bufferChannels.first { $0.name == "\(measure.name)_x" }?.type.bits ?? 16
        return Double(UInt64(1) << UInt64(max(0, bits - 1)))
    }

    /// `scale` in IIO's units; nil for the one that the device has now.
    private func scaledChannels(of measure: IIOMeasure, _ scale: Double?) throws -> [Channel] {
        try zip(measure.axes, measure.channels).map { name, channel in
            guard let scale = scale ?? device.number("scale", of: name), scale != 0 else {
                throw SettingError(
                    chip: device.name, setting: "scale", value: "of \(name) that can be read",
                    possible: "in_\(name)_scale")
            }
            return Channel(
                name: channel.name, unit: channel.unit, scale: scale * measure.unit,
                offset: device.number("offset", of: name) ?? 0)
        }
    }
}

/// A measure as IIO names it.
struct IIOMeasure: Sendable {
    let kind: MeasureKind
    /// `accel` in `in_accel_x_raw`.
    let name: String
    /// One of IIO's units (m/s², rad/s, gauss) in the unit of the channels.
    let unit: Double
    /// With a scale of 1.
    let channels: [Channel]

    /// In the order of a frame.
    static let all = [
        IIOMeasure(kind: .gyroscope, name: "anglvel", unit: 180 / Double.pi, channels: Channel.rotation(scale: 1)),
        IIOMeasure(kind: .accelerometer, name: "accel", unit: 1 / 9.80665, channels: Channel.acceleration(scale: 1)),
        IIOMeasure(kind: .magnetometer, name: "magn", unit: 100, channels: Channel.magneticField(scale: 1)),
    ]

    /// `accel_x`, `accel_y`, `accel_z`.
    var axes: [String] { ["x", "y", "z"].map { "\(name)_\($0)" } }
}
