// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Corrects the wall times of a file that was begun before the clock was known. The corrected file replaces it
/// in one step, and may be corrected again: a change that is made twice has to do no harm. `retime` of CSV, CWA
/// and NMEA goes through it; FLAC's date is overwritten in place.
package enum RecordingTimes {
    /// The moment that uptime 0 is written as in a file of local times, while the clock is unknown.
    package static let uptimeEpoch = Instant(seconds: 946_684_800)  // 2000-01-01

    /// Rewrites a file by `write`, from the old one to the new one.
    static func rewrite(
        _ name: String, in folder: DiskFolder,
        _ write: (File, File) throws(FileError) -> Void
    ) throws(FileError) {
        let temporary = name + ".times.tmp"
        let source = try File(folder.file(name), .read)
        do throws(FileError) {
            let target = try File(folder.file(temporary), .replace)
            try write(source, target)
            try target.sync(metadata: true)
            try folder.rename(temporary, to: name)
        } catch {
            try? folder.remove(temporary)
            throw error
        }
        try folder.sync()
    }

    /// Rewrites a text, line by line with its line end.
    static func rewriteLines(
        _ name: String, in folder: DiskFolder, _ change: (ArraySlice<UInt8>) -> [UInt8]
    ) throws(FileError) {
        try rewrite(name, in: folder) { source, target throws(FileError) in
            try lines(source, to: target, change)
        }
    }

    private static func lines(
        _ source: File, to target: File, _ change: (ArraySlice<UInt8>) -> [UInt8]
    ) throws(FileError) {
        var (place, end) = (0, 0)
        var rest: [UInt8] = []
        while true {
            let piece = try source.read(65_536, at: place)
            place += piece.count
            rest += piece
            let cut = piece.isEmpty ? rest.count : rest.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
            var out: [UInt8] = []
            var start = 0
            while start < cut {
                let stop = rest[start..<cut].firstIndex(of: 0x0A).map { $0 + 1 } ?? cut
                out += change(rest[start..<stop])
                start = stop
            }
            try target.write(out, at: end)
            end += out.count
            rest.removeFirst(cut)
            if piece.isEmpty { return }
        }
    }
}
