// SPDX-License-Identifier: Apache-2.0

/// A place in ASCII text that is read from left to right; every step says whether it found
/// what it looked for. The readers of times, durations and zone rules use it.
struct TextCursor {
    private var rest: ArraySlice<UInt8>

    init(_ text: ArraySlice<UInt8>) { rest = text }
    init(_ text: String) { rest = ArraySlice(text.utf8) }

    var isAtEnd: Bool { rest.isEmpty }
    var next: UInt8? { rest.first }

    /// Steps over that character; false where there is another one.
    mutating func consume(_ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, UInt32(first) == character.value else { return false }
        rest.removeFirst()
        return true
    }

    /// Steps over the bytes that belong, and gives them.
    mutating func consume(_ belongs: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let taken = rest.prefix(while: belongs)
        rest = rest[taken.endIndex...]
        return taken
    }

    /// A number without sign of 1 to `most` digits (at most 18); further digits
    /// stay where they are.
    mutating func number(upTo most: Int) -> Int? {
        var value = 0
        var count = 0
        while count < most, let digit = next, digit.isASCIIDigit {
            value = value * 10 + Int(digit - 0x30)
            count += 1
            rest.removeFirst()
        }
        return count == 0 ? nil : value
    }

    /// A number of exactly this many digits.
    mutating func number(digits: Int) -> Int? {
        let before = rest.count
        guard let value = number(upTo: digits), before - rest.count == digits else { return nil }
        return value
    }
}
