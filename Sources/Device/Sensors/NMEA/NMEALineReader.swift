// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// Reads sentences byte by byte and checks their checksums; memory is fixed, work per byte constant.
/// `NMEAFramer` has one.
///
/// ```
///            '$'                    CR, LF, '$' after a right checksum
/// outside ───────▶ inside (bytes) ─────────────────────────────────────▶ sentence
///    ▲                │ '$': begins again (broken)                           │
///    └────────────────┴─ other controls, bytes above 0x7E, too long (broken) ┘
/// ```
struct NMEALineReader: ~Copyable {
    enum Event: UInt8 { case nothing, sentence, broken }

    private(set) var sentence = NMEASentence()
    /// Within a sentence.
    private var isOpen = false
    /// The `$` that ended a sentence without line end has begun the next one.
    private var hasBegun = false
    /// The checksum so far: XOR of all bytes after `$`.
    private var sum: UInt8 = 0
    /// Where the last `*` is, and the checksum of what is before it.
    private var star = -1
    private var sumAtStar: UInt8 = 0
    /// Commas before the last `*`.
    private var commasAtStar = 0

    /// True while a sentence is begun and not whole.
    var isInSentence: Bool { isOpen || hasBegun }

    mutating func reset() { (isOpen, hasBegun) = (false, false) }

    /// Takes bytes up to the first that ends a sentence, rightly or not, or may begin a UBX frame.
    /// Returns the index after the last byte taken; `event` says what that byte did.
    ///
    /// The hot loop: what is within a sentence goes eight bytes at a time, all others one by one.
    @inline(__always)
    mutating func read(_ bytes: Span<UInt8>, from start: Int, _ event: inout Event) -> Int {
        var index = start
        while index < bytes.count {
            if isOpen { index = readWords(bytes, from: index) }
            guard index < bytes.count else { break }
            let byte = bytes[index]
            index += 1
            event = read(byte)
            if event != .nothing || byte == NMEAFramer.firstSync { break }
        }
        return index
    }

    /// Takes ordinary text, as long as there are eight bytes left and room for them. Returns the index
    /// after it.
    @inline(__always)
    private mutating func readWords(_ bytes: Span<UInt8>, from start: Int) -> Int {
        let raw = bytes.bytes
        var index = start
        var sums: UInt64 = 0
        while index &+ 8 <= bytes.count, sentence.count &+ 8 <= NMEASentence.longest {
            let word = UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
            let rare = ASCIIWord.rare(word)
            // Ordinary bytes at the front: 8 where none of the word is rare.
            let length = rare.trailingZeroBitCount >> 3
            let kept = length == 8 ? word : word & (1 << UInt64(length &* 8) &- 1)
            sums ^= kept
            recordCommas(ASCIIWord.commas(kept))
            sentence.append(word, length)
            index &+= length
            if length < 8 { break }
        }
        // Folds the XOR of the words into that of their bytes.
        sums ^= sums >> 32
        sums ^= sums >> 16
        sum ^= UInt8(truncatingIfNeeded: sums ^ sums >> 8)
        return index
    }

    /// Notes commas of the eight bytes that come next; each is the highest bit of its byte.
    @inline(__always)
    private mutating func recordCommas(_ marks: UInt64) {
        var marks = marks
        while marks != 0 {
            let place = marks.trailingZeroBitCount >> 3
            marks &= marks &- 1
            guard sentence.commaCount < NMEASentence.fieldLimit else { return }
            sentence[comma: sentence.commaCount] = sentence.count &+ place
            sentence.commaCount &+= 1
        }
    }

    @inline(__always)
    mutating func read(_ byte: UInt8) -> Event {
        if hasBegun {
            hasBegun = false
            begin()
        }
        guard isOpen else {
            if byte == UInt8(ascii: "$") { begin() }
            return .nothing
        }
        if byte > UInt8(ascii: "*"), byte < 0x7F {
            if byte == UInt8(ascii: ",") { recordComma() }
            return store(byte)
        }
        return readRare(byte)
    }

    /// Controls, `$`, `*`, and the marks that sort before `*`.
    private mutating func readRare(_ byte: UInt8) -> Event {
        switch byte {
        case UInt8(ascii: "$"):
            // Line ends get lost; what has a right checksum is whole without one.
            hasBegun = close()
            if hasBegun { return .sentence }
            begin()
            return .broken
        case 0x0D, 0x0A: return close() ? .sentence : .broken
        case UInt8(ascii: "*"):
            star = sentence.count
            sumAtStar = sum
            commasAtStar = sentence.commaCount
            return store(byte)
        case 0x20...0x29: return store(byte)
        default:
            isOpen = false
            return .broken
        }
    }

    @inline(__always)
    private mutating func begin() {
        isOpen = true
        sentence.count = 0
        sentence.commaCount = 0
        sum = 0
        star = -1
    }

    @inline(__always)
    private mutating func store(_ byte: UInt8) -> Event {
        guard sentence.count < NMEASentence.longest else {
            isOpen = false
            return .broken
        }
        sentence[sentence.count] = byte
        sentence.count += 1
        sum ^= byte
        return .nothing
    }

    @inline(__always)
    private mutating func recordComma() {
        guard sentence.commaCount < NMEASentence.fieldLimit else { return }
        sentence[comma: sentence.commaCount] = sentence.count
        sentence.commaCount += 1
    }

    /// Ends the sentence; true when it is `address,fields*HH` with a right checksum, blanks after it
    /// allowed. Then `sentence` can be read, without `*HH`.
    private mutating func close() -> Bool {
        isOpen = false
        var end = sentence.count
        while end > 0, sentence[end - 1] == 0x20 { end -= 1 }
        guard star >= 3, end == star + 3,
            let high = sentence[star + 1].hexadecimalDigit, let low = sentence[star + 2].hexadecimalDigit,
            high << 4 | low == sumAtStar
        else { return false }
        sentence.count = star
        sentence.commaCount = commasAtStar
        return sentence.commaCount == 0 || sentence[comma: 0] >= 3
    }
}

/// Eight bytes looked at together; the first is the lowest. Every mark is the highest bit of its
/// byte, and exact.
enum ASCIIWord {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let tops: UInt64 = 0x8080_8080_8080_8080

    /// Marks what may not simply be stored: all up to `*`, DEL, and what is no ASCII.
    @inline(__always)
    static func rare(_ word: UInt64) -> UInt64 {
        // Below 0x2B, the byte after `*`. With its highest bit set no byte borrows from the next one.
        let isBelow = ~((word | tops) &- ones &* 0x2B)
        return (isBelow | word | ((word & ~tops) &+ ones)) & tops
    }

    @inline(__always)
    static func commas(_ word: UInt64) -> UInt64 {
        let other = word ^ (ones &* 0x2C)
        return ~(((other & ~tops) &+ ~tops) | other) & tops
    }
}
