// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Database

@Suite struct StoredKindTests {
    /// https://sqlite.org/fileformat2.html#record_format: the table of serial types, at its limits.
    @Test(
        arguments: [
            (0, .null), (1, .integer), (6, .integer), (7, .real), (8, .integer), (9, .integer), (10, nil), (11, nil),
            (12, .blob(0)), (13, .text(0)), (14, .blob(1)), (15, .text(1)), (1013, .text(500)), (1012, .blob(500)),
            (-1, nil),
        ] as [(Int64, StoredKind?)])
    func aSerialTypeIsAKindAndALength(serial: Int64, kind: StoredKind?) {
        #expect(StoredKind(serial: serial) == kind)
    }
}
