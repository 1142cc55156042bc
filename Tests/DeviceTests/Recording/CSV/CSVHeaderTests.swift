// SPDX-License-Identifier: Apache-2.0
import Device
import Testing

@Suite struct CSVHeaderTests {
    /// RFC 4180 has a comma between columns and CR LF, which Swift reads as one character, between lines.
    @Test(arguments: [
        ("a\r\nb\tc", "a b c"), ("a\nb\rc", "a b c"), ("a,b", "a b"), ("a\u{2028}b\u{85}c", "a b c"), ("", ""),
        ("left wrist", "left wrist"),
    ]) func aNameIsOneColumnOfOneLine(_ name: String, _ written: String) {
        #expect(CSVHeader.clean(name) == written)
    }
}
