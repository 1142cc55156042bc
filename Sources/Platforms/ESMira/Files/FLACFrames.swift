// SPDX-License-Identifier: Apache-2.0

/// The frames of a FLAC file (RFC 9639): where each lies, and how many samples it holds. For `FLACInMP4`.
///
/// A frame does not say how long it is. It ends where the CRC over it, its own checksum included, is
/// zero and the next frame's header, or the end of the file, follows.
struct FLACFrames {
    struct Frame: Hashable {
        let start: Int
        let length: Int
        /// In each channel.
        let samples: Int
    }

    /// Contents of the STREAMINFO block, 34 bytes.
    let streamInfo: [UInt8]
    let rate: Int
    let channels: Int
    let bits: Int
    /// One behind the other, without a gap.
    let frames: [Frame]

    /// Nil where the bytes are not a complete FLAC file.
    init?(_ bytes: [UInt8]) {
        // 42 bytes: the mark, a block header of 4, STREAMINFO (type 0) of 34.
        guard bytes.starts(with: Array("fLaC".utf8)), bytes.count > 42, bytes[4] & 0x7F == 0 else { return nil }
        var place = 4
        var isLast = false
        while !isLast {
            guard place + 4 <= bytes.count else { return nil }
            isLast = bytes[place] & 0x80 != 0
            place += 4 + Int(bytes[place + 1]) << 16 + Int(bytes[place + 2]) << 8 + Int(bytes[place + 3])
        }
        streamInfo = Array(bytes[8..<42])
        rate = Int(bytes[18]) << 12 | Int(bytes[19]) << 4 | Int(bytes[20]) >> 4
        channels = Int(bytes[20] >> 1 & 7) + 1
        bits = Int(bytes[20] & 1) << 4 + Int(bytes[21] >> 4) + 1
        var frames: [Frame] = []
        while place < bytes.count {
            guard let samples = Self.samples(bytes, place), let end = Self.end(of: place, in: bytes) else { return nil }
            frames.append(Frame(start: place, length: end - place, samples: samples))
            place = end
        }
        guard rate > 0, !frames.isEmpty else { return nil }
        self.frames = frames
    }

    private static func isHeader(_ bytes: [UInt8], _ place: Int) -> Bool {
        place + 1 < bytes.count && bytes[place] == 0xFF && bytes[place + 1] & 0xFE == 0xF8
    }

    /// The number of samples that the frame's header gives; nil where there is no header (§9.1).
    private static func samples(_ bytes: [UInt8], _ place: Int) -> Int? {
        guard isHeader(bytes, place), place + 10 <= bytes.count else { return nil }
        func byte(_ index: Int) -> Int { index < bytes.count ? Int(bytes[index]) : 0 }
        let code = Int(bytes[place + 2] >> 4)
        // The frame's number is coded as UTF-8 codes a character: leading ones give its length.
        let number = max(1, (~bytes[place + 4]).leadingZeroBitCount)
        let extra = place + 4 + number
        switch code {
        case 1: return 192
        case 2...5: return 576 << (code - 2)
        case 6: return byte(extra) + 1
        case 7: return byte(extra) << 8 + byte(extra + 1) + 1
        case 8...15: return 256 << (code - 8)
        default: return nil
        }
    }

    private static func end(of start: Int, in bytes: [UInt8]) -> Int? {
        var sum: UInt16 = 0
        for place in start..<bytes.count {
            sum = sum << 8 ^ table[Int(UInt8(sum >> 8) ^ bytes[place])]
            let next = place + 1
            // A header, a subframe and a checksum take more than 8 bytes.
            if sum == 0, next - start > 8, next == bytes.count || samples(bytes, next) != nil { return next }
        }
        return nil
    }

    /// CRC-16 with the polynomial x^16 + x^15 + x^2 + 1 (§9.3).
    private static let table: [UInt16] = (0..<256).map { value in
        (0..<8).reduce(UInt16(value) << 8) { sum, _ in sum & 0x8000 == 0 ? sum << 1 : sum << 1 ^ 0x8005 }
    }
}
