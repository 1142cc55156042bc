// SPDX-License-Identifier: Apache-2.0

/// Where a chip is and how it is used, checked against what its model has: what every driver needs besides its
/// registers. `ChipEntry` makes the one with which it makes a driver.
package struct ChipContext: Sendable {
    let bus: any I2CBus
    let place: ChipPlace
    let source: SourceDescription
    /// Samples that the FIFO holds, 1 where it is not used.
    let depth: Int
    /// Samples per burst, 1 without a FIFO.
    let watermark: Int
    let usesFIFO: Bool
    let hasInterrupt: Bool
    /// Samples per second, as the settings name it.
    let rate: Double
    /// What the chip's registers take for the rate, the filter that goes with it, and the range.
    let rateCode: UInt8
    let filterCode: UInt8
    let rangeCode: UInt8
    /// Of the gyroscope; 0 without one.
    let rotationCode: UInt8

    /// A chip on `bus`, which board files and messages call `busName`. The model's defaults fill in what
    /// the settings leave open; what the model does not have throws. Nothing is sent to the chip.
    package init(bus: any I2CBus, busName: String, settings: ChipSettings, model: ChipModel) throws(SettingError) {
        let identity = model.identity
        func chosen<Value>(_ key: Double, of table: [(Double, Value)], as setting: String) throws(SettingError) -> Value
        {
            try choose(key, of: table, as: setting, chip: identity.name, spell: plain)
        }
        place = ChipPlace(bus: busName, address: try settings.checkedAddress(identity), chip: identity)
        rate = settings.rate ?? model.rate
        let rateCode = try chosen(rate, of: model.rates, as: "rate")
        let fullScale = settings.range ?? model.range
        let range = try chosen(fullScale, of: model.ranges, as: "range")
        let rotation: RangeScale? =
            model.rotationRanges.isEmpty
            ? nil : try chosen(settings.rotationRange ?? 2000, of: model.rotationRanges, as: "gyroscope range")
        watermark = try settings.checkedWatermark(model, rate: rate)
        let fifo = settings.usesFIFO ? model.fifo : nil
        self.bus = bus
        self.rateCode = rateCode.value
        filterCode = rateCode.filter
        rangeCode = range.code
        rotationCode = rotation?.code ?? 0
        usesFIFO = fifo != nil
        depth = fifo?.depth ?? 1
        hasInterrupt = model.hasInterrupt
        var source = SourceDescription(
            kind: model.kind, device: model.device ?? identity.name, location: place.location,
            channels: Self.channels(model.kind, range, rotation, step: Double(1 << (fifo?.bitsLost ?? 0))),
            nominalRate: rateCode.exact ?? rate, fullScale: fullScale)
        source.temperature = model.temperature
        self.source = source
    }

    /// Gyroscope, then accelerometer, as CWA has them; or the axes of one sensor. The accelerometer
    /// resolves steps of `step` counts.
    private static func channels(
        _ kind: MeasureKind, _ range: RangeScale, _ rotation: RangeScale?, step: Double
    ) -> [Channel] {
        func axes(_ scale: Double) -> [Channel] {
            kind == .magnetometer
                ? Channel.magneticField(scale: scale) : Channel.acceleration(scale: scale, resolution: scale * step)
        }
        return (rotation.map { Channel.rotation(scale: $0.scale) } ?? [])
            + axes(range.scale).prefix(2) + axes(range.scaleOfZ ?? range.scale).suffix(1)
    }
}
