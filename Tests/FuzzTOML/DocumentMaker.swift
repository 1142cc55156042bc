// SPDX-License-Identifier: Apache-2.0
import FuzzDice

/// Makes documents along TOML's grammar, now and then against it, and damages documents.
package struct DocumentMaker {
    private var dice: Dice

    /// The same number makes the same document for ever.
    package init(number: Int) {
        dice = Dice(seed: UInt64(number) + 1)
        for _ in 0..<4 { _ = dice.next() }
    }

    /// A document of up to fourteen lines; most of them are valid.
    package mutating func document() -> [UInt8] {
        var text = ""
        for _ in 0...dice.below(14) {
            switch dice.below(10) {
            case 0...1: text += "[\(keys())]"
            case 2: text += "[[\(keys())]]"
            case 3: text += dice.one(["", "# a note", "  ", "\t# é"])
            default: text += keys() + dice.one(["=", " = ", " =", "\t=  "]) + value(0)
            }
            text += dice.one(["\n", "\n", "\n", "\r\n", " # x\n", "\n\n"])
        }
        return Array(text.utf8)
    }

    /// A damaged copy: bytes and pieces are changed, doubled, taken out, or replaced by words
    /// that mean something.
    package mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0...dice.below(4) { harm(&bytes) }
        return bytes
    }

    private mutating func harm(_ bytes: inout [UInt8]) {
        let place = dice.below(bytes.count)
        switch dice.below(8) {
        case 0: if !bytes.isEmpty { bytes[place] ^= 1 << UInt8(dice.below(7)) }
        case 1: if !bytes.isEmpty { bytes.remove(at: place) }
        case 2: bytes.removeLast(bytes.count - place)
        case 3: bytes.removeSubrange(place..<min(bytes.count, place + dice.below(40)))
        case 4:
            bytes.insert(
                contentsOf: bytes[place..<min(bytes.count, place + dice.below(40))], at: dice.below(bytes.count))
        default: bytes.insert(contentsOf: dice.one(Self.words).utf8, at: place)
        }
    }

    private mutating func keys() -> String {
        var parts: [String] = []
        for _ in 0...dice.one([0, 0, 0, 1, 1, 2]) {
            parts.append(dice.one(Self.names))
        }
        return parts.joined(separator: dice.one([".", ".", " . "]))
    }

    private mutating func value(_ depth: Int) -> String {
        switch dice.below(depth > 3 ? 8 : 11) {
        case 0: return String(Int64(bitPattern: dice.next()) >> Int64(dice.below(64)))
        case 1: return "\(Double(bitPattern: dice.next()))"
        case 2...4: return dice.one(dice.below(12) == 0 ? Self.faults : Self.values)
        case 5: return "\"\(letters())\""
        case 6: return dice.one(["\"\"\"\(letters())\n\(letters())\"\"\"", "'''\n\(letters())'\n'''"])
        case 7: return "\(2000 + dice.below(60))-0\(1 + dice.below(9))-\(10 + dice.below(20))\(time())"
        case 8: return "{\(list { "\($0.keys()) = \($0.value(depth + 1))" })}"
        default: return "[\(list { $0.value(depth + 1) })\(dice.one(["", "", ",", "\n"]))]"
        }
    }

    private mutating func time() -> String {
        guard dice.below(3) > 0 else { return "" }
        let clock = "\(dice.one(["T", " ", "t"]))\(10 + dice.below(14)):\(10 + dice.below(50)):\(10 + dice.below(50))"
        return clock + dice.one(["", ".5", ".123456", ".1234567891"])
            + dice.one(["", "Z", "z", "+01:30", "-00:00", "-23:59"])
    }

    private mutating func list(_ element: (inout DocumentMaker) -> String) -> String {
        var elements: [String] = []
        for _ in 0..<dice.below(4) { elements.append(element(&self)) }
        return elements.joined(separator: dice.one([",", ", ", " , "]))
    }

    private mutating func letters() -> String {
        var text = ""
        for _ in 0..<dice.below(6) {
            text += dice.one(["a", "é", " ", "\t", "\\n", "\\\"", "\\\\", "\\u00e9", "\\U0001F600", "#", "😀"])
        }
        if dice.below(20) == 0 { text += dice.one(["\\x41", "\\ud800", "\\\n  ", "'", "\"", "\u{1}"]) }
        return text
    }

    private static let names = [
        "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "1", "-", "\"a\"", "'b'", "\"\"", "\"x y\"",
        "'é'", "\"\\u0061\"",
    ]

    private static let values = [
        "true", "false", "inf", "-inf", "+inf", "nan", "-nan", "0", "-0", "+0", "+1", "1_000", "0x1F", "0xdead_BEEF",
        "0o17", "0b101",
        "9223372036854775807", "-9223372036854775808", "0x7fffffffffffffff", "1.5", "1e5", "1E+05", "6.02_2e2_3",
        "1e-400", "-0.0", "+0.5",
        "07:32:00", "1979-05-27", "2000-02-29", "1979-05-27T07:32:00Z", "1979-05-27 07:32:00.999999-07:00",
        "1979-05-27 ", "''", "\"\"",
        "''''''", "'''a''''", "\"\"\"\"\"\"", "\"\"\"\"a\"\"\"\"\"", "[]", "{}", "[[]]", "[1,]", "{ }", "[ # x\n ]",
        "{a.b = 1, a.c = 2}",
    ]

    private static let faults = [
        "01", "1__0", "_1", "1_", "0o8", "0b2", "-0x1", "0X1", "9223372036854775808", "-9223372036854775809",
        "0xffffffffffffffff", "1.",
        ".5", "1.e5", "1e400", "-1e400", "00.5", "1.2.3", "07:32", "24:00:00", "12:59:60", "1979-02-30", "1900-02-29",
        "1979-05-27T", "[,]",
        "{a=1,}", "True", "yes", "", "{a = 1, a = 2}", "[1 2]",
    ]

    private static let words = [
        "[", "]", "[[", "]]", "{", "}", "=", ".", ",", "\"", "'", "\"\"\"", "'''", "#", "\n", "\r\n", "\\", "\\u", " ",
        "\t", "a", "a.b", "a = 1\n",
        "[a]\n", "[[a]]\n", "[a.b]\n", "99999999999999999999", "1e999", "-", "+", "_", "0x", "inf", "nan", "true",
        "1979-05-27", "07:32:00", "\u{0}",
        "\u{7F}", "é", "\u{2028}", "[[[", "[.a]", "{a=",
    ]
}
