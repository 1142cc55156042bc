// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Study

@Suite struct PictureTypeTests {
    /// The example of SVG 1.1, 5.1.1; what Inkscape 1.2 writes; a WebP and a WAVE file (both are RIFF); the
    /// signatures of PNG 5.2 and of GIF89a.
    @Test(
        arguments: [
            (
                """
                <?xml version="1.0" standalone="no"?>
                <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN"
                  "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
                <svg width="5cm" height="4cm" version="1.1"
                     xmlns="http://www.w3.org/2000/svg">
                """, "image/svg+xml"
            ),
            (
                """
                <?xml version="1.0" encoding="UTF-8" standalone="no"?>
                <!-- Created with Inkscape (http://www.inkscape.org/) -->

                <svg
                   width="210mm"
                """, "image/svg+xml"
            ),
            ("\u{FEFF}<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "image/svg+xml"),
            ("RIFF\u{1A}\0\0\0WEBPVP8L", "image/webp"), ("RIFF\u{24}\0\0\0WAVEfmt ", nil), ("GIF89a", "image/gif"),
            ("<?xml version=\"1.0\"?><html><svg/></html>", nil), ("<!DOCTYPE html><svg/>", nil), ("<?xml", nil),
            ("", nil),
        ] as [(String, String?)])
    func aPictureIsKnownByItsFirstBytes(_ text: String, _ type: String?) {
        #expect(PictureType.name(of: Array(text.utf8)) == type)
    }

    @Test func binarySignaturesAreKnown() {
        #expect(PictureType.name(of: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) == "image/png")
        #expect(PictureType.name(of: [0xFF, 0xD8, 0xFF, 0xE0]) == "image/jpeg")
    }
}
