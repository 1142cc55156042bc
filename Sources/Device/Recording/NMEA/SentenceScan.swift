// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// Finds NMEA sentences anywhere in a file: between binary messages, behind other text, without
/// line ends, in constant memory.
enum SentenceScan {
    /// In bytes; what is longer is no sentence.
    private static let longest = 1024

    /// Calls `body` with every sentence from its `$` to its checksum, right or wrong.
    static func all(_ file: File, _ body: (ArraySlice<UInt8>) -> Void) throws(FileError) {
        var (place, sentence, left) = (0, [UInt8](), -1)
        while true {
            let piece = try file.read(65_536, at: place)
            guard !piece.isEmpty else { return }
            place += piece.count
            for byte in piece {
                if byte == UInt8(ascii: "$") {
                    (sentence, left) = ([byte], -1)
                } else if !sentence.isEmpty {
                    sentence.append(byte)
                    if left > 0 { left -= 1 } else if byte == UInt8(ascii: "*") { left = 2 }
                    if left == 0 { body(sentence[...]) }
                    if left == 0 || sentence.count > longest || byte == 0x0A || byte == 0x0D {
                        (sentence, left) = ([], -1)
                    }
                }
            }
        }
    }
}
