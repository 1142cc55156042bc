// SPDX-License-Identifier: Apache-2.0

/// What kind of picture a file is, by its first bytes: for the pictures that `studyd cards` puts into the sheet
/// (`CardPictures`).
package enum PictureType {
    private static let signatures: [([UInt8], String)] = [
        ([0x89, 0x50, 0x4E, 0x47], "image/png"), ([0xFF, 0xD8, 0xFF], "image/jpeg"), (Array("GIF8".utf8), "image/gif"),
    ]
    /// What an SVG may begin with, and how that ends.
    private static let prologue = [("<?", "?>"), ("<!--", "-->"), ("<!DOCTYPE", ">")]

    /// The media type; nil for what is no picture.
    package static func name(of bytes: [UInt8]) -> String? {
        if let known = signatures.first(where: { bytes.starts(with: $0.0) }) { return known.1 }
        if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) { return "image/webp" }
        return isSVG(bytes) ? "image/svg+xml" : nil
    }

    private static func isSVG(_ bytes: [UInt8]) -> Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var text = Substring(
            String(decoding: bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0).prefix(4096), as: UTF8.self))
        while true {
            text = text.drop(while: \.isWhitespace)
            guard let (open, close) = prologue.first(where: { text.hasPrefix($0.0) }) else {
                return text.hasPrefix("<svg")
            }
            guard let end = text.firstRange(of: close) else { return false }
            if open == "<!DOCTYPE", text[..<end.lowerBound].firstRange(of: "svg") == nil { return false }
            text = text[end.upperBound...]
        }
    }
}
