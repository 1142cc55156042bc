// SPDX-License-Identifier: Apache-2.0
import PlatformKit
import Testing

/// Of an address without TLS a person is warned, unless it is the device itself: RFC 6761 §6.3 (`localhost`),
/// RFC 5735 §3 (127.0.0.0/8), RFC 4291 §2.5.3 (::1).
@Suite struct PlainAddressTests {
    @Test(
        arguments: [
            ("http://example.org/a?b", "http://example.org/a?b"), ("HTTP://Example.org/A", "http://example.org/A"),
            ("http://192.168.0.7:8080/", "http://192.168.0.7:8080/"), ("http://[::2]/", "http://[::2]/"),
            ("http://localhost.example.org", "http://localhost.example.org"),
            ("http://127.0.0.1.example.org/", "http://127.0.0.1.example.org/"),
            ("http://localhost@example.org/", "http://example.org/"),
            ("http://me:secret@example.org/a@b", "http://example.org/a@b"),
            ("https://example.org", nil), ("http://localhost", nil), ("http://LOCALHOST:8080/x", nil),
            ("http://127.0.0.1/", nil), ("http://127.1.2.3:80", nil), ("http://[::1]:8080/", nil), ("study.json", nil),
            ("ftp://example.org", nil), ("", nil),
        ] as [(String, String?)])
    func whoIsNotThisDeviceIsWarnedOfWithoutAPassword(_ url: String, _ shown: String?) {
        let words = "without encryption to"
        let end = ": anyone on the network can read and change it; use https"
        let wanted = shown.map { "WARNING answers go \(words) \($0)\(end)" }
        #expect(PlainAddress.remark(url, for: "answers go") == wanted)
    }
}
