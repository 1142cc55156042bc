// SPDX-License-Identifier: Apache-2.0

/// What PHP's `mime_content_type` and `getimagesize` say of a file, as far as the server asks.
enum ESMiraMedia {
    /// The type that the first bytes tell (libmagic's rules of sound and video); `application/octet-stream` for all else.
    static func type(_ bytes: [UInt8]) -> String {
        func has(_ text: String, at place: Int) -> Bool { bytes.dropFirst(place).starts(with: text.utf8) }
        if has("ftyp", at: 4) { return brands.first { has($0.0, at: 8) }?.1 ?? "application/octet-stream" }
        if bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
            let head = Array(bytes.prefix(4096 + 4))
            if contains(head, "webm") { return "video/webm" }
            return contains(head, "matroska") ? "video/x-matroska" : "application/octet-stream"
        }
        if has("RIFF", at: 0) {
            return has("AVI ", at: 8)
                ? "video/x-msvideo" : has("WAVE", at: 8) ? "audio/x-wav" : "application/octet-stream"
        }
        if has("OggS", at: 0) {
            return has("\u{1}video", at: 28) || bytes.dropFirst(28).starts(with: [0x80] + Array("theora".utf8))
                ? "video/ogg" : "audio/ogg"
        }
        if has("moov", at: 4) || has("mdat", at: 4) { return "video/quicktime" }
        if has("fLaC", at: 0) { return "audio/flac" }
        if has("FLV", at: 0) { return "video/x-flv" }
        return "application/octet-stream"
    }

    /// Of the `ftyp` box, the more particular first: what PHP 8.2 of Debian 12 says of each (libmagic 5.44). Others are unknown to it.
    private static let brands: [(String, String)] = [
        ("M4A", "audio/x-m4a"), ("M4B", "audio/mp4"), ("M4V", "video/x-m4v"), ("M4P", "video/mp4"),
        ("qt", "video/quicktime"),
        ("3g2", "video/3gpp2"), ("3g", "video/3gpp"), ("iso", "video/mp4"), ("isml", "video/mp4"),
        ("mp41", "video/mp4"),
        ("mp42", "video/mp4"), ("mmp4", "video/mp4"), ("avc1", "video/mp4"), ("dash", "video/mp4"),
        ("NDSC", "video/mp4"),
        ("F4V", "video/mp4"), ("F4A", "audio/mp4"), ("MSNV", "audio/mp4"),
    ]

    private static func contains(_ bytes: [UInt8], _ word: String) -> Bool {
        let word = Array(word.utf8)
        guard bytes.count >= word.count else { return false }
        return (0...bytes.count - word.count).contains { bytes[$0..<$0 + word.count].elementsEqual(word) }
    }

    /// A picture whose size can be read: PNG, GIF or JPEG.
    static func isImage(_ bytes: [UInt8]) -> Bool {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return bytes.count >= 24 }
        if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) { return bytes.count >= 10 }
        guard bytes.starts(with: [0xFF, 0xD8, 0xFF]) else { return false }
        // JPEG: from marker to marker, until that of a frame.
        var place = 2
        while place + 9 < bytes.count, bytes[place] == 0xFF {
            let marker = bytes[place + 1]
            if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) { return true }
            place += 2 + Int(bytes[place + 2]) << 8 + Int(bytes[place + 3])
        }
        return false
    }
}
