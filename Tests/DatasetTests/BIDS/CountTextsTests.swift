// SPDX-License-Identifier: Apache-2.0
import Device
import Testing

@testable import Dataset

@Suite struct CountTextsTests {
    /// In millionths, halves away from zero: counts of a chip of ±16 g, and of one of half a millionth.
    @Test(
        arguments: [
            (
                16_000_000,
                [
                    (0, "0.000000"), (1, "0.000488"), (-1, "-0.000488"), (2_048, "1.000000"), (32_767, "15.999512"),
                    (-32_768, "-16.000000"),
                ]
            ),
            (
                16_384,
                [
                    (1, "0.000001"), (-1, "-0.000001"), (2, "0.000001"), (3, "0.000002"), (-3, "-0.000002"),
                    (32_767, "0.016384"), (-32_768, "-0.016384"),
                ]
            ),
        ] as [(Int64, [(Int16, String)])])
    func everyCountHasItsText(scale: Int64, expected: [(Int16, String)]) {
        let texts = CountTexts(scale: scale)
        for (count, text) in expected {
            var bytes = [UInt8](repeating: 0, count: 32)
            let written = bytes.withUnsafeMutableBufferPointer { buffer in
                buffer.baseAddress.map { start in
                    var row = RowBytes(start, capacity: 32)
                    texts.write(count, to: &row)
                    return row.count
                } ?? 0
            }
            #expect(String(decoding: bytes.prefix(written), as: UTF8.self) == text + "\t")
        }
    }
}
