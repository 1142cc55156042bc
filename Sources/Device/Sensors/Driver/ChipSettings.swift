// SPDX-License-Identifier: Apache-2.0
import Base

/// What a chip is asked for, the address by the board file and the rest by `studyd.toml`; nil = the model's
/// default. `MeasuringFit` makes it, `ChipContext` checks it.
package struct ChipSettings: Sendable, Hashable {
    /// 7-bit address.
    private var address: UInt8?
    /// Samples per second.
    package var rate: Double?
    /// Full scale in the unit of the source: 2 for ±2 g, 400 for ±400 µT.
    package var range: Double?
    /// Samples per burst; on a device nil, so that `checkedWatermark` chooses.
    package var watermark: Int?
    /// Full scale of the gyroscope in deg/s, for a chip that has one.
    package var rotationRange: Double?
    /// False (the key `fifo` of a measure): sample by sample, for a chip with a FIFO that keeps fewer bits than
    /// it measures. Costs a wake-up per sample.
    package var usesFIFO: Bool

    package init(
        address: UInt8? = nil, rate: Double? = nil, range: Double? = nil, watermark: Int? = nil,
        rotationRange: Double? = nil, usesFIFO: Bool = true
    ) {
        self.address = address
        self.rate = rate
        self.range = range
        self.watermark = watermark
        self.rotationRange = rotationRange
        self.usesFIFO = usesFIFO
    }
}

/// A chip was asked for something that it does not have; `MeasuringFit` adds file and line.
package struct SettingError: ExplainedError, Sendable, Hashable {
    let chip: String
    /// What was asked for, mostly as its key is called: `rate`.
    package let setting: String
    let value: String
    package let possible: String

    package var explanation: Explanation {
        Explanation(cause: "\(chip) has no \(setting) \(value)", remedy: "possible: \(possible)")
    }
}

/// The entry of `table` for `key`, or an error that lists the keys there are.
func choose<Key: Equatable, Value>(
    _ key: Key, of table: [(Key, Value)], as setting: String, chip: String, spell: (Key) -> String
) throws(SettingError) -> Value {
    for (candidate, value) in table where candidate == key { return value }
    let possible = table.map { spell($0.0) }.joined(separator: ", ")
    throw SettingError(chip: chip, setting: setting, value: spell(key), possible: possible)
}

/// `100` rather than `100.0`; `0.625`.
func plain(_ number: Double) -> String { Int(exactly: number).map(String.init) ?? String(number) }

extension ChipSettings {
    /// The address asked for or the chip's lowest; refused when the chip cannot have it.
    func checkedAddress(_ chip: ChipIdentity) throws(SettingError) -> UInt8 {
        try choose(
            address ?? chip.addresses[0], of: chip.addresses.map { ($0, $0) }, as: "address", chip: chip.name,
            spell: hexadecimal)
    }

    /// The burst asked for or the model's choice at that rate; 1 for a chip without a FIFO, or one
    /// that is used without it because it keeps fewer bits than the chip measures.
    func checkedWatermark(_ model: ChipModel, rate: Double) throws(SettingError) -> Int {
        guard let fifo = model.fifo, usesFIFO else {
            if let fifo = model.fifo, fifo.bitsLost == 0 {
                throw refusal(model, "fifo", "false", possible: "true, for its FIFO keeps every bit")
            }
            guard watermark ?? 1 == 1 else {
                throw refusal(model, "watermark", "\(watermark ?? 1)", possible: "1, for it has no FIFO")
            }
            return 1
        }
        let asked = watermark ?? max(20, min(fifo.maxDefaultBurst, Int(rate / 10)))
        guard (1...fifo.maxBurst).contains(asked) else {
            throw refusal(model, "watermark", "\(asked)", possible: "1 to \(fifo.maxBurst)")
        }
        return asked
    }

    private func refusal(_ model: ChipModel, _ setting: String, _ value: String, possible: String) -> SettingError {
        SettingError(chip: model.identity.name, setting: setting, value: value, possible: possible)
    }
}
