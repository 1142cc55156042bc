// SPDX-License-Identifier: Apache-2.0

/// ST LSM6DSO and LSM6DSOX gyroscope and accelerometer, 16 bits, with a FIFO of 512 tagged words. `ChipCatalog`
/// lists it, `SampledDevice` runs it.
///
/// Facts from ST's lsm6dso_reg.h, the kernel's st_lsm6dsx and datasheet LSM6DSO §6.5.7; `[M]` marks
/// what was not re-read in a source. Both chips read the same identity and are used alike. A sample
/// is one word of each sensor, so the FIFO holds 256 of them.
struct LSM6DSO: ChipDriver {
    /// Datasheet names and addresses; those of FUNC_CFG_ACCESS, CTRL4_C to CTRL8_XL
    /// and CTRL10_C [M].
    // swift-format-ignore: AlwaysUseLowerCamelCase
    enum Register {
        static let FUNC_CFG_ACCESS: UInt8 = 0x01
        static let FIFO_CTRL1: UInt8 = 0x07
        static let FIFO_CTRL2: UInt8 = 0x08
        static let FIFO_CTRL3: UInt8 = 0x09
        static let FIFO_CTRL4: UInt8 = 0x0A
        static let INT1_CTRL: UInt8 = 0x0D
        static let INT2_CTRL: UInt8 = 0x0E
        static let WHO_AM_I: UInt8 = 0x0F
        static let CTRL1_XL: UInt8 = 0x10
        static let CTRL2_G: UInt8 = 0x11
        static let CTRL3_C: UInt8 = 0x12
        static let CTRL4_C: UInt8 = 0x13
        static let CTRL5_C: UInt8 = 0x14
        static let CTRL6_C: UInt8 = 0x15
        static let CTRL7_G: UInt8 = 0x16
        static let CTRL8_XL: UInt8 = 0x17
        static let CTRL9_XL: UInt8 = 0x18
        static let CTRL10_C: UInt8 = 0x19
        static let OUT_TEMP_L: UInt8 = 0x20
        static let OUTX_L_G: UInt8 = 0x22
        static let FIFO_STATUS1: UInt8 = 0x3A
        static let TAP_CFG2: UInt8 = 0x58
        static let FIFO_DATA_OUT_TAG: UInt8 = 0x78
    }

    /// ODR[3:0] of CTRL1_XL and CTRL2_G, and the batch rates of FIFO_CTRL3. CTRL1_XL FS[1:0]: code
    /// 1 is the widest range. Which code of CTRL2_G FS[1:0] is which range [M].
    /// Above 200 Hz a burst is a tenth of a second, at most 100 samples; at 1667 Hz it keeps a bus of
    /// 400 kHz busy for half of the time.
    static let models = ["LSM6DSO", "LSM6DSOX"].map { name in
        ChipModel(
            identity: ChipIdentity(
                name: name, addresses: [0x6A, 0x6B], register: Register.WHO_AM_I, value: 0x6C, addressPin: "SA0"),
            kind: .accelerometer,
            rates: [(12.5, 1), (26, 2), (52, 3), (104, 4), (208, 5), (417, 6), (833, 7), (1667, 8)],
            ranges: RangeScale.milli((2, 0, 0.061), (4, 2, 0.122), (8, 3, 0.244), (16, 1, 0.488)),
            rotationRanges: RangeScale.milli((250, 0, 8.75), (500, 1, 17.5), (1000, 2, 35), (2000, 3, 70)),
            rate: 104, range: 8, fifo: FIFOSize(depth: 256, maxBurst: 200, maxDefaultBurst: 100), hasInterrupt: true,
            temperature: .chip)
    }

    let chip: ChipContext

    /// While its filters settle: the kernel's st_lsm6dsx drops this many of an LSM6DSM of the same
    /// family, for which corrupted samples were reported; twice as many from rate to rate above 416
    /// Hz, for which it has no figure.
    var unsettledSamples: Int {
        [12.5: 2, 26: 5, 52: 7, 104: 12, 208: 20, 417: 36, 833: 72, 1667: 144][chip.rate] ?? 12
    }

    /// ST's lsm6dso_reg.c, lsm6dso_from_lsb_to_celsius: 25 degC at 0, 256 to a degree.
    func temperature() throws(I2CError) -> Double? { try signedPair(Register.OUT_TEMP_L) / 256 + 25 }

    func isSetUp() throws(I2CError) -> Bool {
        let fifo = try read(Register.FIFO_CTRL1, count: 4)
        let control = try read(Register.CTRL1_XL, count: 3)
        let interface = try byte(Register.CTRL9_XL)
        return fifo == [words & 0xFF, words >> 8, batchRates, 6].map { UInt8($0) }
            && control == [accelerometerControl, gyroscopeControl, 0x44] && interface == 0xE2
    }

    /// Whole samples in the FIFO, and whether words were overwritten.
    func waiting() throws(I2CError) -> FIFOStatus {
        let status = try pair(Register.FIFO_STATUS1)
        return Self.waiting(status: status[0], status[1])
    }

    /// Word by word until there are `count` whole samples: after an overrun the first word may have
    /// lost its partner.
    func burst(_ count: Int, into bytes: inout [UInt8]) throws(I2CError) {
        var pairs = TaggedPairs()
        // Two rounds find any single word without a partner; more means that the FIFO
        // holds something else.
        for _ in 0..<3 {
            // A burst of 7 n bytes goes from the last data byte back to the tag [M]. The words are read to
            // one sample after the whole ones, since `gather` writes that sample while it reads them.
            let (words, place) = (pairs.missing(of: count), 12 * (pairs.count + 1))
            try read(Register.FIFO_DATA_OUT_TAG, count: 7 * words, into: &bytes, at: place, pieces: .records(of: 7))
            pairs.gather(words, from: place, in: &bytes)
            if pairs.count == count { return }
        }
        throw .unsupported("tags in the FIFO do not match: \(pairs.count) of \(count) samples intact")
    }

    /// Low byte first, gyroscope first.
    func counts(_ burst: [UInt8], at index: Int) -> SIMD8<Int32> {
        littleEndian(burst, at: 12 * index, axes: 6)
    }

    /// FIFO_STATUS1 and 2: DIFF_FIFO[9:0] words; b6 FIFO_OVR_IA, b3 FIFO_OVR_LATCHED, which
    /// reading clears [M].
    static func waiting(status low: UInt8, _ high: UInt8) -> FIFOStatus {
        FIFOStatus(level: (Int(high & 0x03) << 8 | Int(low)) / 2, isOverrun: high & 0x48 != 0)
    }

    /// CTRL1_XL and CTRL2_G: b7:4 ODR, b3:2 FS.
    private var accelerometerControl: UInt8 { chip.rateCode << 4 | chip.rangeCode << 2 }
    private var gyroscopeControl: UInt8 { chip.rateCode << 4 | chip.rotationCode << 2 }
    /// FIFO_CTRL3: the same rate code for the gyroscope (b7:4) and the accelerometer (b3:0).
    private var batchRates: Int { Int(chip.rateCode) * 0x11 }
    private var words: Int { 2 * watermark }

    /// Every control register that matters, in the order of writing. A reset would have
    /// to be waited for.
    var settings: RegisterWrites {
        [
            (Register.FUNC_CFG_ACCESS, 0x00),  // the main page
            (Register.CTRL1_XL, 0x00), (Register.CTRL2_G, 0x00),  // power-down
            // I3C_disable, as ST's own examples before anything else; the rest as after power-on.
            // Otherwise the chip may take traffic of I2C for I3C, and use INT1 for that.
            (Register.CTRL9_XL, 0xE2),
            (Register.CTRL3_C, 0x44),  // BDU: both bytes are of one sample; IF_INC: addresses count up
            (Register.CTRL4_C, 0x00), (Register.CTRL5_C, 0x00), (Register.CTRL6_C, 0x00), (Register.CTRL7_G, 0x00),
            (Register.CTRL8_XL, 0x00),  // no filters, no self-test, high performance
            (Register.CTRL10_C, 0x00),  // no time stamps
            (Register.TAP_CFG2, 0x00),  // does not fall to 12.5 Hz at rest
            (Register.FIFO_CTRL4, 0x00),  // bypass empties the FIFO
            (Register.FIFO_CTRL1, UInt8(words & 0xFF)),
            (Register.FIFO_CTRL2, UInt8(words >> 8)),  // no compression
            (Register.FIFO_CTRL3, UInt8(batchRates)),
            (Register.INT1_CTRL, 0x08), (Register.INT2_CTRL, 0x00),  // threshold on INT1, wired or not
            (Register.FIFO_CTRL4, 0x06),  // continuous
            (Register.CTRL2_G, gyroscopeControl),
            (Register.CTRL1_XL, accelerometerControl),
        ]
    }
}

/// Puts the FIFO's words together to samples, in the array they were read into: 12 bytes each, gyroscope
/// first.
struct TaggedPairs {
    /// Whole samples, at the front of the array.
    private(set) var count = 0
    /// A word whose partner has not come yet.
    private var half: (tag: UInt8, data: SIMD8<UInt8>)?

    /// Words still to be read for that many samples.
    func missing(of samples: Int) -> Int { 2 * (samples - count) - (half == nil ? 0 : 1) }

    /// Reads `words` words of 7 bytes each from `start` on, and writes the samples they make after the
    /// whole ones. `start` must be at least 12 × (`count` + 1), so that no unread word is overwritten.
    ///
    /// Tag b7:3 says which sensor (1 gyroscope, 2 accelerometer), b2:1 counts the moments of
    /// sampling, b0 is parity. A word without a partner of its moment is dropped, as is any other
    /// word.
    mutating func gather(_ words: Int, from start: Int, in bytes: inout [UInt8]) {
        for place in stride(from: start, to: start + 7 * words, by: 7) {
            let tag = bytes[place] & 0xFE
            guard tag >> 3 == 1 || tag >> 3 == 2 else { continue }
            var data = SIMD8<UInt8>()
            for index in 0..<6 { data[index] = bytes[place + 1 + index] }
            if let first = half, first.tag & 0x06 == tag & 0x06, first.tag >> 3 != tag >> 3 {
                let isAcceleration = tag >> 3 == 2
                put(isAcceleration ? first.data : data, isAcceleration ? data : first.data, in: &bytes)
                half = nil
            } else {
                half = (tag, data)
            }
        }
    }

    private mutating func put(_ rotation: SIMD8<UInt8>, _ acceleration: SIMD8<UInt8>, in bytes: inout [UInt8]) {
        for index in 0..<6 {
            bytes[12 * count + index] = rotation[index]
            bytes[12 * count + 6 + index] = acceleration[index]
        }
        count += 1
    }
}
