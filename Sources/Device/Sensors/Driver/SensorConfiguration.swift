// SPDX-License-Identifier: Apache-2.0

/// A range's code and its units per count.
struct RangeScale: Sendable, Hashable {
    let code: UInt8
    let scale: Double
    /// Where the third axis has a scale of its own.
    var scaleOfZ: Double?
}

/// How a chip with one sensor is used, checked against what it has.
struct SensorConfiguration: Sendable, Hashable {
    /// What a chip can be asked for.
    struct Options: Sendable {
        /// Samples per second and their codes.
        let rates: [(Double, UInt8)]
        /// Full scales in g or µT.
        let ranges: [(Double, RangeScale)]
        /// Taken where the settings name none.
        let rate: Double
        /// Taken where the settings name none.
        let range: Double
        /// The longest burst; nil without a FIFO.
        var watermark: Int?
        /// Bits of a count that its FIFO does not keep.
        var bitsLostInFIFO = 0
    }

    let address: UInt8
    private let rate: Double
    private let range: Double
    /// Samples per burst, 1 without a FIFO.
    let watermark: Int
    let rateCode: UInt8
    let scale: RangeScale
    /// Samples come through the chip's FIFO.
    let usesFIFO: Bool
    /// Counts per step that can be told.
    private let step: Double

    init(_ settings: ChipSettings, chip: ChipIdentity, options: Options) throws(SettingError) {
        address = try settings.checkedAddress(chip)
        rate = settings.rate ?? options.rate
        range = settings.range ?? options.range
        rateCode = try choose(rate, of: options.rates, as: "rate", chip: chip.name, spell: plain)
        scale = try choose(range, of: options.ranges, as: "range", chip: chip.name, spell: plain)
        usesFIFO = options.watermark != nil && settings.usesFIFO
        step = usesFIFO ? Double(1 << options.bitsLostInFIFO) : 1
        if let most = options.watermark, usesFIFO {
            watermark = try settings.checkedWatermark(chip, upTo: most)
        } else {
            if options.watermark != nil, options.bitsLostInFIFO == 0 { try settings.refuseWithoutFIFO(chip) }
            try settings.refuseWatermark(chip)
            watermark = 1
        }
    }

    /// Three axes of an accelerometer or a magnetometer.
    func source(_ kind: MeasureKind, at place: ChipPlace) -> SourceDescription {
        func axes(_ scale: Double) -> [Channel] {
            kind == .magnetometer
                ? Channel.magneticField(scale: scale) : Channel.acceleration(scale: scale, resolution: scale * step)
        }
        return SourceDescription(
            kind: kind, device: place.chip.name, location: place.location,
            channels: axes(scale.scale).prefix(2) + axes(scale.scaleOfZ ?? scale.scale).suffix(1), nominalRate: rate,
            fullScale: range)
    }
}
