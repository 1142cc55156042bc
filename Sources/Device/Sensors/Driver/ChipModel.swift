// SPDX-License-Identifier: Apache-2.0

/// A chip that a driver serves: how it is recognised, and which settings it has. Each driver lists its models;
/// `ChipContext` checks settings against one.
package struct ChipModel: Sendable {
    package let identity: ChipIdentity
    let kind: MeasureKind
    /// Samples per second, each with the code that sets it in the chip's register.
    let rates: [(Double, RateCode)]
    /// Full scales in g or µT.
    let ranges: [(Double, RangeScale)]
    /// Full scales in deg/s of a gyroscope of the same rate; empty without one. ±2000 is taken where the
    /// settings name none.
    var rotationRanges: [(Double, RangeScale)] = []
    /// Taken where the settings name none.
    let rate: Double
    /// Taken where the settings name none.
    let range: Double
    /// nil for a chip that keeps one sample.
    var fifo: FIFOSize?
    /// Its pin says when a watermark (without a FIFO: a sample) is there.
    var hasInterrupt = false
    var temperature = TemperatureSource.none
    /// How recordings name the chip where that is not its identity's name.
    var device: String?
    /// The axes of accelerometer and gyroscope form a left-handed system, so that the mounting has to mirror one of
    /// them.
    var isLeftHanded = false

    /// What it measures into one stream of frames.
    var kinds: [MeasureKind] { rotationRanges.isEmpty ? [kind] : [kind, .gyroscope] }
}

/// A rate's code, and that of the filter that goes with it where the chip has one.
struct RateCode: Sendable, Hashable, ExpressibleByIntegerLiteral {
    let value: UInt8
    let filter: UInt8
    /// Samples per second by the datasheet, where the rate's name is rounded.
    let exact: Double?

    init(_ value: UInt8, filter: UInt8 = 0, exact: Double? = nil) {
        (self.value, self.filter, self.exact) = (value, filter, exact)
    }

    init(integerLiteral value: UInt8) { self.init(value) }
}

/// A range's code and its units per count.
struct RangeScale: Sendable, Hashable {
    let code: UInt8
    let scale: Double
    /// Where the third axis has another scale.
    var scaleOfZ: Double?

    /// Ranges of the codes 0, 1, 2 …, each with its counts per unit.
    static func counts(_ ranges: (range: Double, perUnit: Double)...) -> [(Double, RangeScale)] {
        ranges.enumerated().map { ($1.range, RangeScale(code: UInt8($0), scale: 1 / $1.perUnit)) }
    }

    /// Ranges with their codes and thousandths of a unit per count.
    static func milli(_ ranges: (range: Double, code: UInt8, perCount: Double)...) -> [(Double, RangeScale)] {
        ranges.map { ($0.range, RangeScale(code: $0.code, scale: $0.perCount / 1000)) }
    }
}

/// What a chip's FIFO holds, in samples.
struct FIFOSize: Sendable, Hashable {
    let depth: Int
    /// The largest watermark, which is one burst, that `ChipSettings.checkedWatermark` allows.
    let maxBurst: Int
    /// Where the settings name none, a burst is a tenth of a second, but at least 20 samples and at most this
    /// many.
    var maxDefaultBurst = 20
    /// How many of a count's lowest bits the FIFO does not keep.
    var bitsLost = 0
}
