// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// Finds NMEA sentences anywhere in a file: between binary messages, after other text, without line ends, in
/// constant memory. For `FileInspector`.
enum SentenceScan {
    /// Bytes; anything longer is not a sentence.
    private static let longest = 1024

    /// Calls `body` with every sentence from its `$` to its checksum, right or wrong.
    static func all(_ file: File, _ body: (ArraySlice<UInt8>) -> Void) throws(FileError) {
        var (offset, sentence) = (0, [UInt8]())
        // Digits of the checksum still to come; nil before its `*`.
        var digitsLeft: Int?
        while true {
            let piece = try file.read(65_536, at: offset)
            guard !piece.isEmpty else { return }
            offset += piece.count
            for byte in piece {
                if byte == UInt8(ascii: "$") {
                    (sentence, digitsLeft) = ([byte], nil)
                } else if !sentence.isEmpty {
                    sentence.append(byte)
                    if let left = digitsLeft {
                        digitsLeft = left - 1
                    } else if byte == UInt8(ascii: "*") {
                        digitsLeft = 2
                    }
                    if digitsLeft == 0 { body(sentence[...]) }
                    if digitsLeft == 0 || sentence.count > longest || byte == 0x0A || byte == 0x0D {
                        (sentence, digitsLeft) = ([], nil)
                    }
                }
            }
        }
    }
}
