// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Lab

@Suite struct HTMLTests {
    @Test func textsAreEscapedAndMarkupIsNot() {
        let text = "<b onclick='x'>\"&\u{202E}\u{0}"
        let inner: HTML = "<i>\(text)</i>"
        let outer: HTML = "<p>\(inner)\([inner])\(7)"
        let expected = "<i>&lt;b onclick=&#39;x&#39;&gt;&quot;&amp;\u{FFFD}\u{FFFD}</i>"
        #expect(outer.text == "<p>\(expected)\(expected)7")
    }
}
