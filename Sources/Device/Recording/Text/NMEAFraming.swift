// SPDX-License-Identifier: Apache-2.0
import Base

/// The framing of NMEA 0183 for writing and checking lines; `NMEAFramer` finds sentences in a stream.
enum NMEAFraming {
    /// `$body*hh` CR LF, with the XOR of the body.
    static func bytes(_ body: String) -> [UInt8] {
        let sum = body.utf8.reduce(0, ^)
        return Array("$\(body)*\(sum.padded(2, radix: 16).uppercased())\r\n".utf8)
    }

    /// The body of a line with a right checksum; nil for anything else.
    static func body(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let start = line.lastIndex(of: UInt8(ascii: "$")),
            let star = line[start...].firstIndex(of: UInt8(ascii: "*")), star + 2 < line.endIndex,
            let sum = UInt8(String(decoding: line[star + 1...star + 2], as: UTF8.self), radix: 16)
        else { return nil }
        let body = line[start + 1..<star]
        return body.reduce(0, ^) == sum ? body : nil
    }

    /// The sentence that studyd itself wrote (`$PSTDY…`), from its `$` to the end of the line: a binary message
    /// without a line end may precede it. Empty for a line without one.
    static func ownSentence(in line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let start = line.lastIndex(of: UInt8(ascii: "$")), line[start...].starts(with: "$PSTDY".utf8) else {
            return []
        }
        return line[start...]
    }

    /// The `hhmmss.sss` field of a sentence that has one; nil when it is empty or there is none.
    static func timeOfDay(_ line: [UInt8]) -> [UInt8]? {
        guard let body = body(line[...]) else { return nil }
        let fields = body.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard let name = fields.first, name.count == 5 else { return nil }
        let place: Int
        switch String(decoding: name.suffix(3), as: UTF8.self) {
        case "RMC", "GGA", "GNS", "ZDA", "GST", "GBS": place = 1
        case "GLL": place = 5
        default: return nil
        }
        return place < fields.count && !fields[place].isEmpty ? Array(fields[place]) : nil
    }
}
