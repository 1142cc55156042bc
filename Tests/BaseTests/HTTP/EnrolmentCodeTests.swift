// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base

@Suite struct EnrolmentCodeTests {
    /// The decoding table of crockford.com/base32.html: case does not count, hyphens are passed over, I and L
    /// are 1, O is 0, and U is no digit.
    @Test(
        arguments: [
            ("7K3M-Q0ZD-WX5B", "7K3M-Q0ZD-WX5B"), ("7k3mq0zdwx5b", "7K3M-Q0ZD-WX5B"),
            (" 7K-3M QOzD wx5b ", "7K3M-Q0ZD-WX5B"), ("iIlLoO11AAAA", "1111-0011-AAAA"), ("7K3M-Q0ZD-WX5", nil),
            ("7K3M-Q0ZD-WX5BB", nil), ("7K3M-Q0ZD-WX5U", nil), ("7K3M-Q0ZD-WX5É", nil), ("", nil),
            (String(repeating: "-", count: 52) + "7K3MQ0ZDWX5B", "7K3M-Q0ZD-WX5B"),
            (String(repeating: "-", count: 53) + "7K3MQ0ZDWX5B", nil),
        ] as [(String, String?)])
    func aCodeIsReadAsPeopleCopyIt(typed: String, text: String?) {
        #expect(EnrolmentCode(typed)?.text == text)
    }

    @Test func drawnCodesDifferAndUseAllThirtyTwoDigits() {
        var generator = SystemRandomNumberGenerator()
        let codes = (0..<200).map { _ in EnrolmentCode(using: &generator) }
        #expect(Set(codes).count == 200 && codes.allSatisfy { EnrolmentCode($0.text) == $0 })
        #expect(Set(codes.map(\.text).joined()).count == 33, "with the hyphen")
    }
}
