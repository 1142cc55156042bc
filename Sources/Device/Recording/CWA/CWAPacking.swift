// SPDX-License-Identifier: Apache-2.0

/// Three axes in one word of a packed block: `eezzzzzzzzzzyyyyyyyyyyxxxxxxxxxx`, each value
/// shifted up by `ee`.
///
/// In 1/256 g nothing is lost up to ±2 g; beyond that the step is that of the exponent, 1/32 g from
/// ±8 g on. The AX3, which has an ADXL345, does the same. Source: openmovement, Docs/ax3/cwa.h.
enum CWAPacking {
    /// The word of a sample in 1/256 g, each value rounded to the step of the common exponent.
    static func word(_ x: Int16, _ y: Int16, _ z: Int16) -> UInt32 {
        var exponent: Int32 = 0
        while exponent < 3, !fits(x, exponent) || !fits(y, exponent) || !fits(z, exponent) { exponent += 1 }
        let high = UInt32(exponent) << 30
        return high | bits(x, exponent) | bits(y, exponent) << 10 | bits(z, exponent) << 20
    }

    /// The value of an axis, 0...2, of a word.
    static func value(_ word: UInt32, axis: UInt32) -> Int16 {
        // Ten bits to the top of sixteen and back, which extends the sign.
        let bits = UInt16(truncatingIfNeeded: word >> (10 * axis)) << 6
        return (Int16(bitPattern: bits) >> 6) << Int16(truncatingIfNeeded: word >> 30)
    }

    private static func shifted(_ value: Int16, _ exponent: Int32) -> Int32 {
        (Int32(value) + (1 << exponent) / 2) >> exponent
    }

    private static func fits(_ value: Int16, _ exponent: Int32) -> Bool {
        (-512...511).contains(shifted(value, exponent))
    }

    /// What does not fit even the largest exponent stays at the end of the range.
    private static func bits(_ value: Int16, _ exponent: Int32) -> UInt32 {
        UInt32(bitPattern: max(-512, min(511, shifted(value, exponent)))) & 0x3FF
    }
}
