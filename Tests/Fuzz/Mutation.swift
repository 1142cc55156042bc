// SPDX-License-Identifier: Apache-2.0
import FuzzDice

/// Damage to a file: what disks, networks and malice do to bytes.
struct Mutation {
    /// Words that have a meaning somewhere: lengths, markers, signs, separators.
    private static let words: [[UInt8]] = [
        [0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF], [0x7F, 0xFF, 0xFF, 0xFF], [0xFF, 0xFF, 0xFF, 0x7F], [0, 0, 0, 0x80],
        Array("AX".utf8), Array("MD".utf8), Array("fLaC".utf8), [0x1F, 0x8B], Array("RIFF".utf8), Array("$GPRMC,".utf8),
        Array("$PSTDY,E,".utf8), Array("#gap".utf8), Array(",,,,,,".utf8), Array("\n".utf8), Array("*00\r\n".utf8),
        Array("-9223372036854775808".utf8), Array("1e308".utf8), Array("nan".utf8), Array("2063-12-31T23:59:59Z".utf8),
        Array("99999999999999999999".utf8), Array("{\"".utf8), Array("[[[[[[[[".utf8), Array("null".utf8),
        [0xC3, 0x28], [0], Array("\n-> X25519 ".utf8), Array("\n--- ".utf8), Array("\n-> scrypt ".utf8),
    ]

    /// A damaged copy of `bytes`; `other` lends a piece now and then. At most `limit` bytes.
    static func damaged(_ bytes: [UInt8], _ other: [UInt8], _ dice: inout Dice, limit: Int = 1 << 17) -> [UInt8] {
        var out = bytes
        for _ in 0...dice.below(4) { harm(&out, other, &dice) }
        if out.count > limit { out.removeLast(out.count - limit) }
        return out
    }

    private static func harm(_ out: inout [UInt8], _ other: [UInt8], _ dice: inout Dice) {
        let place = dice.below(out.count)
        switch dice.below(11) {
        case 0: if !out.isEmpty { out[place] ^= 1 << UInt8(dice.below(8)) }
        case 1: if !out.isEmpty { out[place] = UInt8(truncatingIfNeeded: dice.next()) }
        case 2: out.removeLast(out.count - place)
        case 3: out += [UInt8](repeating: dice.below(2) == 0 ? 0 : 0xFF, count: dice.below(2048))
        case 4: replace(&out, place, Self.words[dice.below(Self.words.count)])
        case 5: out.insert(contentsOf: Self.words[dice.below(Self.words.count)], at: place)
        case 6: out.removeSubrange(place..<min(out.count, place + dice.below(600)))
        case 7: out.insert(contentsOf: out[place..<min(out.count, place + dice.below(600))], at: dice.below(out.count))
        case 8:
            let start = dice.below(other.count)
            replace(&out, place, Array(other[start..<min(other.count, start + dice.below(600))]))
        case 9: nudge(&out, place, &dice)
        default: mend(&out, place, &dice)
        }
    }

    private static func replace(_ out: inout [UInt8], _ place: Int, _ piece: [UInt8]) {
        let end = min(out.count, place + piece.count)
        out.replaceSubrange(place..<end, with: piece.prefix(end - place))
    }

    /// A little more or less, as in counters.
    private static func nudge(_ out: inout [UInt8], _ place: Int, _ dice: inout Dice) {
        if !out.isEmpty { out[place] = out[place] &+ UInt8(truncatingIfNeeded: dice.below(7) - 3) }
    }

    /// A field of a CWA block is changed and its checksum made right, so that damage gets past it.
    private static func mend(_ out: inout [UInt8], _ place: Int, _ dice: inout Dice) {
        let start = 1024 + max(0, place - 1024) / 512 * 512
        guard start + 512 <= out.count else { return }
        let field = start + 4 + dice.below(26)
        out[field] = UInt8(truncatingIfNeeded: dice.next())
        (out[start + 510], out[start + 511]) = (0, 0)
        var sum: UInt16 = 0
        for index in stride(from: start, to: start + 512, by: 2) {
            sum &+= UInt16(out[index]) | UInt16(out[index + 1]) << 8
        }
        sum = 0 &- sum
        (out[start + 510], out[start + 511]) = (UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: sum >> 8))
    }
}
