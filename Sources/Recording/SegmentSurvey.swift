// SPDX-License-Identifier: Apache-2.0
import Times

/// How much of a cut file is whole: the last good block, line or frame.
struct SegmentSurvey {
    /// Bytes up to the end of the last whole unit.
    var bytes = 0
    /// Samples in whole units, in the unit that the description counts.
    var stored = 0
    /// Seconds from the first sample to the last.
    var duration = 0.0
    /// Samples of one unit, as many as may have been waiting for the unit to fill.
    var unit = 1
    /// Samples of damaged blocks between good ones.
    var missing = 0
    /// What the file's beginning must say now.
    var patches: [SegmentPatch] = []

    init(_ file: DiskFile, _ draft: RecordingDescription) throws(RecordingError) {
        switch RecordingFormat(rawValue: draft.format) {
        case .cwa: try surveyBlocks(file)
        case .flac: try surveyFrames(file, draft)
        case .csv, .events: try surveyLines(file, draft, samplesPerLine: 1)
        case .levels: try surveyLines(file, draft, samplesPerLine: max(1, Int(draft.nominalRate.rounded())))
        case .nmea: try surveySentences(file, draft)
        case nil: throw .format(path: file.path, problem: "is of an unknown format \(draft.format)")
        }
    }

    private mutating func surveyBlocks(_ file: DiskFile) throws(RecordingError) {
        guard try file.size() >= CWAHeader.size else { return }
        var first: CWABlock?
        var place = CWAHeader.size
        while true {
            let piece = try file.read(128 * CWABlock.size, at: place)
            for start in stride(from: 0, to: piece.count, by: CWABlock.size) {
                // A damaged block in the middle stays where it is: readers count and skip it, and what follows is kept.
                let index = (place + start - CWAHeader.size) / CWABlock.size
                guard start + CWABlock.size <= piece.count,
                    let block = CWABlock(Array(piece[start..<start + CWABlock.size])), Int(block.sequence) == index
                else { continue }
                if first == nil { first = block }
                stored += block.count
                unit = block.packing.capacity
                bytes = place + start + CWABlock.size
                missing = (index + 1) * unit - stored
                if let from = first?.time.local, let to = block.local(of: block.count - 1) {
                    duration = (to.instant(offset: 0) - from.instant(offset: 0)).seconds
                }
            }
            place += piece.count
            if piece.isEmpty { break }
        }
    }

    private mutating func surveyFrames(_ file: DiskFile, _ draft: RecordingDescription) throws(RecordingError) {
        guard try file.read(4, at: 0) == Array("fLaC".utf8) else { return }
        let scan = try FLACReader.scan(file)
        let frames = scan.frames
        (bytes, stored, unit) = (scan.sound.wholeBytes, frames - scan.missing, 2 * FLACWriter.blockSize)
        duration = Double(frames) / max(1, draft.nominalRate)
        // STREAMINFO: the low 36 bits of the 8 bytes at 18 are the number of samples.
        var field = try file.read(5, at: 21)
        guard field.count == 5 else { return }
        field[0] = field[0] & 0xF0 | UInt8(truncatingIfNeeded: frames >> 32) & 0x0F
        for index in 1...4 { field[index] = UInt8(truncatingIfNeeded: frames >> (8 * (4 - index))) }
        patches = [SegmentPatch(offset: 21, bytes: field)]
    }

    private mutating func surveyLines(
        _ file: DiskFile, _ draft: RecordingDescription, samplesPerLine: Int
    ) throws(RecordingError) {
        unit = samplesPerLine
        bytes = try LineScan.whole(file) { line in
            guard let first = line.first, first == UInt8(ascii: ",") || (48...57).contains(first) else { return }
            stored += samplesPerLine
            let columns = line.split(separator: UInt8(ascii: ","), maxSplits: 2, omittingEmptySubsequences: false)
            if columns.count > 1 { end(Substring(decoding: columns[1], as: UTF8.self), draft) }
        }
    }

    private mutating func surveySentences(
        _ file: DiskFile, _ draft: RecordingDescription
    ) throws(RecordingError) {
        unit = 1024
        bytes = try LineScan.whole(file) { line in
            guard line.starts(with: "$PSTDY,".utf8) else {
                stored += line.count
                return
            }
            let fields = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            if fields.count > 2 { end(Substring(decoding: fields[2], as: UTF8.self), draft) }
        }
    }

    private mutating func end(_ uptime: Substring, _ draft: RecordingDescription) {
        if let time = TimeText.uptime(uptime) {
            duration = max(duration, Double(time.nanoseconds) / 1e9 - draft.startUptime)
        }
    }
}
