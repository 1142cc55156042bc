// SPDX-License-Identifier: Apache-2.0
import Device

/// The text of each 16-bit count of a sensor, with a tab behind: writing a sample is then a copy, without
/// arithmetic. 1 MB for each scale. `BIDSMotion` makes one for each scale of a recording.
struct CountTexts {
    /// By count: at most fifteen bytes of text, and their number in the last byte.
    private let texts: [SIMD16<UInt8>]

    /// A count means `scale` / 32 768 millionths of the unit, rounded half away from zero.
    init(scale: Int64) {
        texts = (0..<65_536).map { place in
            let product = Int64(Int16(truncatingIfNeeded: place)) &* scale
            var text = SIMD16<UInt8>()
            withUnsafeMutableBytes(of: &text) { bytes in
                guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
                var row = RowBytes(start, capacity: 16)
                row.millionths((product &+ (product < 0 ? -16_384 : 16_384)) / 32_768)
                row.byte(UInt8(ascii: "\t"))
                bytes[15] = UInt8(row.count)
            }
            return text
        }
    }

    func write(_ value: Int16, to row: inout RowBytes) {
        let text = texts[Int(UInt16(bitPattern: value))]
        row.copy(text, Int(text[15]))
    }
}
