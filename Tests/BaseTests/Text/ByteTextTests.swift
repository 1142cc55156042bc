// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

/// The decimal prefixes of the SI (BIPM, SI brochure, table 7), as `numfmt --to=si` has them.
@Suite struct ByteTextTests {
    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (999_999, "999.9 kB"), (1_000_000, "1.0 MB"),
        (36_900_000, "36.9 MB"),
        (12_300_000_000, "12.3 GB"), (999_999_999_999, "999.9 GB"), (4_000_000_000_000, "4.0 TB"),
        (999_999_999_999_999, "999.9 TB"), (1_000_000_000_000_000, "1000.0 TB"), (-999, "-999 B"),
        (-1_550, "-1.5 kB"),
    ]) func bytesAreWrittenInTheirUnit(bytes: Int64, text: String) { #expect(ByteText.of(bytes) == text) }
}
