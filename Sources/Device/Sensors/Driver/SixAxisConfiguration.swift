// SPDX-License-Identifier: Apache-2.0

/// How a chip with an accelerometer and a gyroscope of one common rate is used, checked
/// against what it has.
struct SixAxisConfiguration: Sendable, Hashable {
    /// A rate's code, and that of the filter that goes with it where the chip has one.
    struct RateCode: Sendable, Hashable {
        let value: UInt8
        var filter: UInt8 = 0
    }

    /// What a chip can be asked for.
    struct Options {
        let rates: [(Double, RateCode)]
        let ranges: [(Double, RangeScale)]
        let rotationRanges: [(Double, RangeScale)]
        /// Taken where the settings name none; the ranges are then ±8 g and ±2000 deg/s.
        let rate: Double
        /// The longest burst.
        let watermark: Int
        /// The burst that is preferred at high rates; 20 at others.
        var preferred = 20
    }

    let address: UInt8
    let rate: Double
    /// Full scale of the accelerometer in g.
    private let range: Double
    /// Full scale of the gyroscope in deg/s.
    private let rotationRange: Double
    /// Samples per burst.
    let watermark: Int
    let rateCode: RateCode
    let accelerometer: RangeScale
    let gyroscope: RangeScale

    init(_ settings: ChipSettings, chip: ChipIdentity, options: Options) throws(SettingError) {
        address = try settings.checkedAddress(chip)
        try settings.refuseWithoutFIFO(chip)
        rate = settings.rate ?? options.rate
        range = settings.range ?? 8
        rotationRange = settings.rotationRange ?? 2000
        watermark = try settings.checkedWatermark(
            chip, upTo: options.watermark, preferred: max(20, min(options.preferred, Int(rate / 10))))
        rateCode = try choose(rate, of: options.rates, as: "rate", chip: chip.name, spell: plain)
        accelerometer = try choose(range, of: options.ranges, as: "range", chip: chip.name, spell: plain)
        gyroscope = try choose(
            rotationRange, of: options.rotationRanges, as: "gyroscope range", chip: chip.name, spell: plain)
    }

    /// Gyroscope, then accelerometer, as CWA has them.
    func source(
        _ place: ChipPlace, device: String, nominalRate: Double? = nil, temperature: TemperatureSource
    ) -> SourceDescription {
        var source = SourceDescription(
            kind: .accelerometer, device: device, location: place.location,
            channels: Channel.rotation(scale: gyroscope.scale) + Channel.acceleration(scale: accelerometer.scale),
            nominalRate: nominalRate ?? rate, fullScale: range)
        source.temperature = temperature
        return source
    }
}

/// Ranges and their scales, from code 0 on, each so many counts per unit.
func ranges(_ counts: (range: Double, perUnit: Double)...) -> [(Double, RangeScale)] {
    counts.enumerated().map { code, entry in
        (entry.range, RangeScale(code: UInt8(code), scale: 1 / entry.perUnit))
    }
}
