// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Device

@Suite struct RowBytesTests {
    private func text(capacity: Int = 64, _ body: (inout RowBytes) -> Void) -> String {
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        defer { memory.deallocate() }
        var row = RowBytes(memory, capacity: capacity)
        body(&row)
        return String(decoding: UnsafeBufferPointer(start: memory, count: row.count), as: UTF8.self)
    }

    @Test(arguments: [
        (0 as Int64, "0.000000"), (1, "0.000001"), (-1, "-0.000001"), (999_999, "0.999999"), (1_000_000, "1.000000"),
        (-12_345_678, "-12.345678"), (86_400_010_000, "86400.010000"), (9_999_999, "9.999999"),
        (10_000_000, "10.000000"), (99_999_999_000_001, "99999999.000001"), (100_000_000_000_000, "100000000.000000"),
        (.max, "9223372036854.775807"),
        (.min, "-9223372036854.775808"),
    ]) func millionthsHaveSixDecimals(value: Int64, expected: String) {
        #expect(text { $0.millionths(value) } == expected)
    }

    @Test func everySixDigitsAreRight() {
        for value in stride(from: 0 as UInt64, to: 1_000_000, by: 137) {
            let written = text { $0.six(value) }
            #expect(written.utf8.count == 6 && UInt64(written) == value)
        }
    }

    @Test func whatDoesNotFitIsLeftOutAndNothingBehindIsTouched() {
        #expect(text(capacity: 4) { $0.bytes([65, 66, 67, 68, 69]) } == "")
        #expect(text(capacity: 7) { $0.six(123_456) } == "")
        // The whole part needs no more room than it has digits.
        #expect(text(capacity: 3) { $0.millionths(12_000_000) } == "12.")
        #expect(
            text(capacity: 2) { row in
                for byte in 65..<70 as Range<UInt8> { row.byte(byte) }
            } == "AB")
    }
}
