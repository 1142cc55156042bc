// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite struct MarkupTests {
    @Test func nothingOfATextIsMarkup() {
        #expect(
            Markup.escaped("<b onclick='x'>\"&\u{1}\u{202E}")
                == "&lt;b onclick=&#39;x&#39;&gt;&quot;&amp;\u{FFFD}\u{FFFD}")
        #expect(Markup.escaped("Müller\t1\n2 – 😀") == "Müller\t1\n2 – 😀")
    }

    /// libxml2 reads XML 1.0 strictly: every scalar up to U+FFFF and some beyond, between tags and
    /// in an attribute.
    @Test func everyTextMakesXMLThatLibxml2Reads() {
        let scalars = ((0...0xFFFF).map { UInt32($0) } + [0x10000, 0x1F600, 0x10FFFF]).compactMap(Unicode.Scalar.init)
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        let escaped = Markup.escaped(text)
        let document = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><a b=\"\(escaped)\" c='\(escaped)'>\(escaped)</a>"
        #expect(XMLParser(data: Data(document.utf8)).parse())
    }
}
