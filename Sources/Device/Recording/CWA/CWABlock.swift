// SPDX-License-Identifier: Apache-2.0
import Base

/// One 512-byte data block of a CWA file. Source: openmovement, Docs/ax3/cwa.h and ax3-technical.md.
/// `CWABlockFiller` makes it for `CWAWriter`, `CWAReader` reads it.
package struct CWABlock: Sendable, Hashable {
    /// How samples lie in a block.
    package enum Packing: UInt8, Sendable, CaseIterable {
        /// Three axes of 10 bits with a common exponent, in 1/256 g: 120 samples.
        case packed3 = 0x30
        /// Three axes of 16 bits: 80 samples.
        case axes3 = 0x32
        /// Gyroscope and accelerometer, 16 bits: 40 samples.
        case axes6 = 0x62
        /// Gyroscope, accelerometer and magnetometer, 16 bits: 26 samples. Only read, since
        /// most readers cannot.
        case axes9 = 0x92

        /// The most samples in a block; a writer fills every one.
        package var capacity: Int {
            switch self {
            case .packed3: 120
            case .axes3: 80
            case .axes6: 40
            case .axes9: 26
            }
        }
        /// Values per sample.
        package var axes: Int { Int(rawValue >> 4) }
    }

    /// In bytes.
    package static let size = 512

    /// In our files the recording number.
    package var sessionID: UInt32
    /// The block's place in its file, from 0.
    package var sequence: UInt32
    /// Wall-clock time of sample `timeIndex`.
    package var time: CWATimestamp
    /// Which sample `time` belongs to; may lie outside the block. Ours is always 0.
    package var timeIndex: Int
    package var packing: Packing
    /// Bits 3…0 code the rate, bits 7 and 6 the accelerometer's range, as in the header. 0 in very old files;
    /// `rate` holds their rate all the same.
    package var rateCode: UInt8
    /// Samples per second.
    package var rate: Double
    /// Accelerometer: 1/2^(8+n) g per count.
    package var accelerometerScale: UInt8
    /// Gyroscope: ±8000/2ⁿ °/s.
    package var gyroscopeRange: UInt8
    /// Light, raw 0...1023.
    package var light: UInt16
    /// °C = raw × 75/256 − 50; ours is 1023 where nothing was measured (`CWAFields`).
    package var temperature: UInt16
    /// What happened since the block before: b0 logging was resumed, b1 a single tap, in our files a press
    /// of an event marker.
    package var events: UInt8 = 0
    /// `events` b1.
    package static let marked: UInt8 = 0x02
    /// V = (2·raw + 512) × 6/1024.
    package var battery: UInt8
    /// Values sample by sample, `packing.axes` each: gyroscope first where there is one.
    package var values: [Int16]

    package init(
        sessionID: UInt32, sequence: UInt32, time: CWATimestamp, timeIndex: Int = 0, packing: Packing, rateCode: UInt8,
        accelerometerScale: UInt8, gyroscopeRange: UInt8 = 0, light: UInt16 = 0, temperature: UInt16 = 0,
        battery: UInt8 = 0, values: [Int16]
    ) {
        self.sessionID = sessionID
        self.sequence = sequence
        self.time = time
        self.timeIndex = timeIndex
        self.packing = packing
        self.rateCode = rateCode
        rate = CWARate.rate(code: rateCode)
        self.accelerometerScale = accelerometerScale
        self.gyroscopeRange = gyroscopeRange
        self.light = light
        self.temperature = temperature
        self.battery = battery
        self.values = values
    }

    package var count: Int { values.count / packing.axes }

    /// What the wall clock showed at a sample of the block; nil when the stamp is no time.
    package func local(of sample: Int) -> LocalDateTime? {
        time.local?.adding(.nanoseconds(Int64((Double(sample - timeIndex) * 1e9 / rate).rounded())))
    }

    /// Millionths of a g per count, times 32 768 (hence 1 << 7, which is 32 768/256): whole for every scale that a
    /// block can have.
    package var accelerationMillionths: Int64 {
        packing == .packed3 ? 1_000_000 << 7 : (1_000_000 << 7) >> Int64(accelerometerScale)
    }

    /// Millionths of a °/s per count, times 32 768.
    package var rotationMillionths: Int64 { (8000 * 1_000_000) >> Int64(gyroscopeRange) }

    /// Acceleration of a sample in g.
    package func acceleration(_ sample: Int) -> (x: Double, y: Double, z: Double) {
        let first = sample * packing.axes + (hasRotation ? 3 : 0)
        let unit = packing == .packed3 ? 1 / 256.0 : 1 / Double(1 << (8 + Int(accelerometerScale)))
        return (Double(values[first]) * unit, Double(values[first + 1]) * unit, Double(values[first + 2]) * unit)
    }

    package var hasRotation: Bool { packing == .axes6 || packing == .axes9 }

    /// Angular rate of a sample in °/s; nil without a gyroscope.
    package func rotation(_ sample: Int) -> (x: Double, y: Double, z: Double)? {
        guard hasRotation else { return nil }
        let first = sample * packing.axes
        let unit = 8000 / Double(1 << Int(gyroscopeRange)) / 32_768
        return (Double(values[first]) * unit, Double(values[first + 1]) * unit, Double(values[first + 2]) * unit)
    }
}
