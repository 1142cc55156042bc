// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Kinds of sound files that libsndfile does not read, told by their first bytes: `SoundDecoding` looks for a
/// `SoundProgram` that does.
enum SoundContainer: Sendable, Hashable, CaseIterable {
    /// M4A, and MP4 with or without pictures (ISO/IEC 14496-12: a `ftyp` box).
    case mpeg4
    /// AAC by itself (ISO/IEC 13818-7: twelve set bits, layer 0).
    case adts
    /// WebM and Matroska (RFC 8794: an EBML header).
    case matroska

    /// The container of a file that begins so; nil = another, or none.
    init?(_ beginning: [UInt8]) {
        if beginning.count >= 8, beginning[4..<8].elementsEqual("ftyp".utf8) {
            self = .mpeg4
        } else if beginning.count >= 2, beginning[0] == 0xFF, beginning[1] & 0xF6 == 0xF0 {
            self = .adts
        } else if beginning.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
            self = .matroska
        } else {
            return nil
        }
    }

    var name: String {
        switch self {
        case .mpeg4: "M4A or MP4"
        case .adts: "AAC"
        case .matroska: "WebM or Matroska"
        }
    }

    /// The length of the file by its own headers, of which `size` bytes are there: more where its
    /// end is missing. Nil where it does not say, such as a live recorded stream. `read` gives at
    /// most a number of bytes at an offset.
    func claimedSize(of size: UInt64, _ read: (_ offset: UInt64, _ count: Int) -> [UInt8]) -> UInt64? {
        switch self {
        case .mpeg4: Self.boxesEnd(size, read)
        case .matroska: Self.segmentEnd(read)
        case .adts: nil
        }
    }

    /// Boxes at the top level of a file (ISO/IEC 14496-12, 6.2.3; QuickTime's `skip` and `wide`);
    /// behind any other nothing is concluded.
    private static let boxes = Set(
        [
            "ftyp", "moov", "mdat", "moof", "mfra", "free", "skip", "wide", "udta", "uuid", "meta", "sidx", "ssix",
            "styp", "emsg", "prft", "pdin",
        ])
    /// A fragment a tenth of a second, for twelve minutes, four boxes each.
    private static let mostBoxes = 30_000

    /// 4.2: 32 bits of size and a name; size 1 = 64 bits follow, 0 = to the end of the file.
    private static func boxesEnd(_ size: UInt64, _ read: (UInt64, Int) -> [UInt8]) -> UInt64? {
        var offset: UInt64 = 0
        for _ in 0..<mostBoxes where offset < size {
            let head = read(offset, 16)
            guard head.count >= 8 else { return offset + 8 }
            guard boxes.contains(String(decoding: head[4..<8], as: UTF8.self)) else { return nil }
            var length = number(head[0..<4])
            if length == 0 { return nil }
            if length == 1 {
                guard head.count == 16 else { return offset + 16 }
                length = number(head[8..<16])
            }
            guard length >= 8, length < 1 << 62 else { return nil }
            offset += length
        }
        return offset
    }

    /// The end of the Segment (RFC 9559, 5.1), which is the rest of the file, by its EBML size (RFC
    /// 8794, 6.2: all ones = unknown).
    private static func segmentEnd(_ read: (UInt64, Int) -> [UInt8]) -> UInt64? {
        guard let header = variable(read(4, 8)), header.value < 4096 else { return nil }
        let start = 4 + UInt64(header.length) + header.value
        let head = read(start, 12)
        guard head.starts(with: [0x18, 0x53, 0x80, 0x67]), let segment = variable(Array(head.dropFirst(4))) else {
            return nil
        }
        return start + 4 + UInt64(segment.length) + segment.value
    }

    /// RFC 8794, 4: as many zero bits as bytes follow the first. Nil where it is
    /// cut off or unknown.
    private static func variable(_ bytes: [UInt8]) -> (value: UInt64, length: Int)? {
        guard let first = bytes.first, first != 0 else { return nil }
        let length = first.leadingZeroBitCount + 1
        guard bytes.count >= length else { return nil }
        let ones = UInt64(1) << UInt64(7 * length)
        let value = number(bytes[..<length]) & (ones - 1)
        return value == ones - 1 ? nil : (value, length)
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
