// SPDX-License-Identifier: Apache-2.0
import Times

/// Puts the wall times of a file right that was begun before the clock was known. A file is written anew and takes the
/// old one's place at once; doing it twice does no harm.
enum RecordingClock {
    static func rewrite(
        _ name: String, in folder: DiskFolder, format: String, anchor: ClockAnchor, zone: Zone
    ) throws(RecordingError) {
        guard let format = RecordingFormat(rawValue: format) else { return }
        if format == .flac {
            // The one field has its place; all else of FLAC is without time.
            let file = try DiskFile(folder.file(name), .update)
            try FLACTags.date(file, anchor: anchor, zone: zone)
            return try file.sync()
        }
        let temporary = name + ".times.tmp"
        let source = try DiskFile(folder.file(name), .read)
        let target = try DiskFile(folder.file(temporary), .replace)
        switch format {
        case .cwa: try CWAClock.rewrite(source, to: target, anchor: anchor, zone: zone)
        case .nmea: try rewriteLines(source, to: target) { sentence($0, anchor) }
        case .csv, .levels, .events: try rewriteLines(source, to: target) { row($0, anchor) }
        case .flac: break
        }
        try target.sync(metadata: true)
        try folder.rename(temporary, to: name)
        try folder.sync()
    }

    /// A row whose time is empty begins with a comma; the uptime is its second column.
    private static func row(_ line: ArraySlice<UInt8>, _ anchor: ClockAnchor) -> [UInt8] {
        guard line.first == UInt8(ascii: ","), let end = line.dropFirst().firstIndex(of: UInt8(ascii: ",")),
            let uptime = TimeText.uptime(Substring(decoding: line[line.startIndex + 1..<end], as: UTF8.self))
        else { return Array(line) }
        return Array(TimeText.rfc3339(anchor.instant(at: uptime)).utf8) + line
    }

    private static func sentence(_ line: ArraySlice<UInt8>, _ anchor: ClockAnchor) -> [UInt8] {
        guard line.starts(with: "$PSTDY,E,".utf8), let body = NMEASentence.body(line) else { return Array(line) }
        let fields = String(decoding: body, as: UTF8.self).split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count == 4, fields[3].isEmpty, let uptime = TimeText.uptime(fields[2]) else { return Array(line) }
        return NMEASentence.bytes("PSTDY,E,\(fields[2]),\(TimeText.rfc3339(anchor.instant(at: uptime)))")
    }

    private static func rewriteLines(
        _ source: DiskFile, to target: DiskFile, _ change: (ArraySlice<UInt8>) -> [UInt8]
    ) throws(RecordingError) {
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
