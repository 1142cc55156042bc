// SPDX-License-Identifier: Apache-2.0
import PlatformKit
import Testing

/// The form of an address, by RFC 3986 and the URL standard of WHATWG.
@Suite struct PostAddressTests {
    /// "C0 control or space" is U+0000 to U+0020.
    @Test(arguments: [
        ("", ""), (" ", ""), ("\u{0}\u{1F} ", ""), (" \ta\r\n", "a"), ("\u{0}a\u{1F}", "a"), ("a", "a"),
        ("!", "!"), (" ! ", "!"), ("!a!", "!a!"), (" a b\tc ", "a b\tc"), ("\u{7F}a\u{A0}", "\u{7F}a\u{A0}"),
    ])
    func controlsAndSpacesAtTheEndsAreTakenOff(_ text: String, _ trimmed: String) {
        #expect(PostAddress.trimmed(text) == trimmed)
    }

    @Test(arguments: [
        ("http://a", true), ("https://a", true), ("http:/a", false), ("http://", false), ("http://.", false),
        ("http://..", false), ("http://a.", true), ("http://a:", true), ("http://a:1", true), ("http://a:0", false),
        ("http://a:+80", false), ("http://a:-80", false), ("http://[::1]:+80", false), ("http://a:080", true),
        ("http://a:65535", true), ("http://a:65536", false), ("http://a:x", false), ("http://:1", false),
        ("http://[::1]", true), ("http://[::1]:", true), ("http://[::1]:1", true), ("http://[::1]1", false),
        ("http://[::1", false), ("http://[]", false), ("http://[]:1", false), ("http://[.]", false),
        ("http://u@a", true), ("http://u:p@a:1", true), ("http://u@", false), ("http://u @a", false),
        ("http://a/ b", true), ("http://a?b c", true), ("http://a/\u{1F}", false), ("http://a/\u{7F}", false),
        ("http://a/\u{80}", true),
    ])
    func anAddressHasAHostAndPerhapsAPort(_ text: String, _ isGood: Bool) {
        let address = PostAddress(text)
        #expect((address.problem == nil) == isGood, "\(address.problem ?? "no problem")")
        #expect(address.text == text)
    }
}
