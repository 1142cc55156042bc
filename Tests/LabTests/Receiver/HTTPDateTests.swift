// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Lab

@Suite struct HTTPDateTests {
    /// The first is RFC 9110 §5.6.7's own; the others were written by Python's
    /// `email.utils.formatdate(t, usegmt=True)`.
    @Test(
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"), (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
            (1_780_000_000, "Thu, 28 May 2026 20:26:40 GMT"),
        ] as [(Int64, String)])
    func datesAreWrittenAsPythonWritesThem(seconds: Int64, text: String) {
        #expect(HTTPDate.text(Instant(seconds: seconds) + .milliseconds(999)) == text)
    }
}
