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

    /// XML 1.0 §2.2; UAX #9 §2: what embeds, overrides and isolates directions.
    @Test(
        arguments: [
            (0x0...0x8, 0x9...0xA), (0xB...0xC, 0xD...0xD), (0xE...0x1F, 0x20...0x21), (0x7F...0x9F, 0xA0...0x2029),
            (0x202A...0x202E, 0x202F...0x2065), (0x2066...0x2069, 0x206A...0xD7FF),
            (0xFFFE...0xFFFF, 0x10000...0x10001),
        ] as [(ClosedRange<UInt32>, ClosedRange<UInt32>)])
    func whatIsReplacedEndsWhereTheNextBegins(gone: ClosedRange<UInt32>, kept: ClosedRange<UInt32>) {
        func stays(_ value: UInt32) -> Bool {
            Unicode.Scalar(value).map { Markup.escaped("a\($0)") == "a\($0)" } ?? false
        }
        #expect(!gone.contains(where: stays))
        #expect(stays(kept.lowerBound) && stays(kept.upperBound))
        #expect(gone.allSatisfy { Unicode.Scalar($0).map { Markup.escaped("\($0)") } == "\u{FFFD}" })
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
