// SPDX-License-Identifier: Apache-2.0

/// The digest by which Bridge and its storage know bytes (RFC 1321): no secret, only a check.
enum MD5 {
    private static let shifts: [UInt32] = [
        7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21,
    ]
    /// The whole part of 2^32 times the sine of 1...64 in radians, by RFC 1321, 3.4; written out, since the room has no sine.
    private static let sines: [UInt32] = [
        0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee, 0xf57c_0faf, 0x4787_c62a, 0xa830_4613, 0xfd46_9501,
        0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be, 0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821,
        0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa, 0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8,
        0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed, 0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a,
        0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c, 0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70,
        0x289b_7ec6, 0xeaa1_27fa, 0xd4ef_3085, 0x0488_1d05, 0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665,
        0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039, 0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1,
        0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1, 0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb, 0xeb86_d391,
    ]

    /// Sixteen bytes.
    static func of(_ content: [UInt8]) -> [UInt8] {
        var state: (UInt32, UInt32, UInt32, UInt32) = (0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476)
        let whole = content.count / 64 * 64
        content.withUnsafeBufferPointer { bytes in
            for start in stride(from: 0, to: whole, by: 64) { add(bytes, start, &state) }
        }
        var rest = Array(content[whole...]) + [0x80]
        rest += [UInt8](repeating: 0, count: (120 - rest.count % 64) % 64)
        let bits = UInt64(content.count) &* 8
        rest += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) }
        rest.withUnsafeBufferPointer { bytes in
            for start in stride(from: 0, to: bytes.count, by: 64) { add(bytes, start, &state) }
        }
        return [state.0, state.1, state.2, state.3].flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * UInt32($0))) }
        }
    }

    private static func add(
        _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ state: inout (UInt32, UInt32, UInt32, UInt32)
    ) {
        var (a, b, c, d) = state
        for round in 0..<64 {
            let mixed: UInt32
            let word: Int
            switch round / 16 {
            case 0: (mixed, word) = (b & c | ~b & d, round)
            case 1: (mixed, word) = (d & b | ~d & c, (5 * round + 1) % 16)
            case 2: (mixed, word) = (b ^ c ^ d, (3 * round + 5) % 16)
            default: (mixed, word) = (c ^ (b | ~d), 7 * round % 16)
            }
            let place = start + 4 * word
            let value =
                UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8 | UInt32(bytes[place + 2]) << 16
                | UInt32(bytes[place + 3]) << 24
            let sum = a &+ mixed &+ sines[round] &+ value
            let shift = shifts[round / 16 * 4 + round % 4]
            (a, d, c, b) = (d, c, b, b &+ (sum << shift | sum >> (32 - shift)))
        }
        state = (state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d)
    }
}

/// Base 64 of RFC 4648, with padding.
enum Base64Text {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func of(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let number = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
            for place in 0..<4 {
                text.append(place <= part.count ? digits[number >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
