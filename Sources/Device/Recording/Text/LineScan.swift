// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// The lines of a text file, in constant memory, for recovery and inspection.
enum LineScan {
    /// A stretch without a line end that is longer than this is no text.
    private static let longestLine = 1 << 16

    /// Bytes of ext4's smallest block: no shorter run of NULs is left by a power cut. Shorter runs are content:
    /// the binary messages of receivers have some hundred NULs in a row.
    static let block = 1024

    /// Calls `body` with every whole line and its line end. Stops at the first line with `hole` NULs in a
    /// row, which a file system may leave after a power cut. Returns how many bytes the lines before have.
    static func whole(
        _ file: File, hole: Int = 1, _ body: (ArraySlice<UInt8>) -> Void
    ) throws(FileError) -> Int {
        var (place, bytes) = (0, 0)
        var rest: [UInt8] = []
        while rest.count < longestLine {
            let piece = try file.read(65_536, at: place)
            guard !piece.isEmpty else { return bytes }
            place += piece.count
            rest += piece
            var start = 0
            while let newline = rest[start...].firstIndex(of: 0x0A) {
                let line = rest[start...newline]
                guard !has(hole, in: line) else { return bytes }
                body(line)
                bytes += line.count
                start = newline + 1
            }
            rest.removeFirst(start)
        }
        return bytes
    }

    private static func has(_ hole: Int, in line: ArraySlice<UInt8>) -> Bool {
        var run = 0
        return line.contains { byte in
            run = byte == 0 ? run + 1 : 0
            return run == hole
        }
    }
}
