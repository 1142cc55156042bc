// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// The lines of a text file, in constant memory.
enum LineScan {
    /// A stretch without a line end that is longer than this is no text.
    private static let longestLine = 1 << 16

    /// Calls `body` with every whole line and its line end, up to the first NUL, which a file
    /// system may leave behind after a cut. Returns the bytes of those lines.
    static func whole(_ file: File, _ body: (ArraySlice<UInt8>) -> Void) throws(FileError) -> Int {
        var (place, bytes) = (0, 0)
        var rest: [UInt8] = []
        while rest.count < longestLine {
            let piece = try file.read(65_536, at: place)
            guard !piece.isEmpty else { return bytes }
            place += piece.count
            let hole = piece.firstIndex(of: 0)
            rest += piece[..<(hole ?? piece.count)]
            var start = 0
            while let newline = rest[start...].firstIndex(of: 0x0A) {
                body(rest[start...newline])
                bytes += newline + 1 - start
                start = newline + 1
            }
            rest.removeFirst(start)
            if hole != nil { return bytes }
        }
        return bytes
    }
}
