// SPDX-License-Identifier: Apache-2.0
import Base

/// Counts what looks like `$...*HH` with a right checksum, the XOR of what lies between `$` and `*`; it
/// understands nothing else of NMEA. `BaudSearch` judges a speed by it.
struct ChecksumCounter: Sendable {
    private enum Place: Sendable { case outside, body, high, low }

    private var place = Place.outside
    private var length = 0
    private var sum: UInt8 = 0
    private var claimed: UInt8 = 0

    /// How many such sentences these bytes complete.
    mutating func count(_ bytes: Span<UInt8>) -> Int {
        var count = 0
        for index in bytes.indices where process(bytes[index]) { count += 1 }
        return count
    }

    /// True when this byte completes a sentence with a right checksum.
    private mutating func process(_ byte: UInt8) -> Bool {
        if byte == UInt8(ascii: "$") {
            (place, length, sum) = (.body, 0, 0)
            return false
        }
        switch place {
        case .outside: break
        case .body: processBody(byte)
        case .high:
            claimed = byte.hexadecimalDigit.map { $0 << 4 } ?? 0
            place = byte.hexadecimalDigit == nil ? .outside : .low
        case .low:
            place = .outside
            // `$GPTXT*..` is the shortest that means anything; short ones are right by
            // chance too often.
            return length >= 5 && byte.hexadecimalDigit.map { claimed | $0 } == sum
        }
        return false
    }

    private mutating func processBody(_ byte: UInt8) {
        if byte == UInt8(ascii: "*") {
            place = .high
        } else if (0x20...0x7E).contains(byte), length < 512 {
            length += 1
            sum ^= byte
        } else {
            place = .outside
        }
    }
}
