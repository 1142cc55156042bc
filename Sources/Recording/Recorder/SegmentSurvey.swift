// SPDX-License-Identifier: Apache-2.0
import Times

/// How much of a cut file is whole: the last good block, line or frame.
struct SegmentSurvey {
    /// Bytes up to the end of the last whole unit.
    var bytes = 0
    /// Samples in whole units, in the unit that the description counts.
    var stored = 0
    /// Seconds from the beginning in the draft to the last sample.
    var duration = 0.0
    /// CLOCK_MONOTONIC of the first sample in seconds, where the file says that it is another than the draft's beginning.
    private(set) var first: Double?
    /// Samples of one unit, as many as may have been waiting for the unit to fill.
    var unit = 1
    /// Samples of damaged blocks between good ones.
    var missing = 0
    /// Where samples are missing inside the file, as far as it shows that itself; at most `RecordingDescription.gapLimit`.
    private(set) var gaps: [RecordingDescription.GapNote] = []
    /// Gaps beyond those.
    private(set) var gapsOmitted = 0
    /// Samples missing in all of them, by reason.
    private(set) var lost: [String: Int] = [:]
    /// What the file's beginning must say now.
    var patches: [SegmentPatch] = []

    init(_ file: DiskFile, _ draft: RecordingDescription) throws(RecordingError) {
        switch RecordingFormat(rawValue: draft.format) {
        case .cwa: try surveyBlocks(file, draft)
        case .flac: try surveyFrames(file, draft)
        case .csv, .events: try surveyLines(file, draft, samplesPerLine: 1)
        case .levels: try surveyLines(file, draft, samplesPerLine: max(1, Int(draft.nominalRate.rounded())))
        case .nmea: try surveySentences(file, draft)
        case nil: throw .format(path: file.path, problem: "is of an unknown format \(draft.format)")
        }
    }

    private mutating func surveyBlocks(_ file: DiskFile, _ draft: RecordingDescription) throws(RecordingError) {
        guard try file.size() >= CWAHeader.size else { return }
        var first: CWABlock?
        var survey = CWASurvey()
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
                survey.add(block)
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
        guard let start = first?.time.local?.instant(offset: 0) else { return }
        let origin = draft.uptime(ofLocal: start)
        for jump in survey.jumps {
            let end = origin + jump.end
            note(
                .init(
                    startUptime: end - jump.length - 1 / max(draft.nominalRate, 1e-3), endUptime: end,
                    samples: jump.samples, reason: "unknown", position: jump.position))
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

    /// A line has the time of its first sample. What a gap took counts once the next line is there: what is missing at the end of the file is
    /// nothing of which the file can tell how long it was.
    private mutating func surveyLines(
        _ file: DiskFile, _ draft: RecordingDescription, samplesPerLine: Int
    ) throws(RecordingError) {
        unit = samplesPerLine
        let rate = max(draft.nominalRate, 1e-3)
        let length = Double(samplesPerLine - 1) / rate
        var last = draft.startUptime
        var waiting: [TextGap] = []
        bytes = try LineScan.whole(file) { line in
            if let gap = TextGap(line) { waiting.append(gap) }
            guard let byte = line.first, byte == UInt8(ascii: ",") || (48...57).contains(byte) else { return }
            let columns = line.split(separator: UInt8(ascii: ","), maxSplits: 2, omittingEmptySubsequences: false)
            let time =
                columns.count > 1 ? TimeText.uptime(Substring(decoding: columns[1], as: UTF8.self)) : nil
            let start = time.map { Double($0.nanoseconds) / 1e9 }
            if samplesPerLine > 1, let start {
                if stored == 0 { first = start }
                lengthen(&waiting, from: last, to: start, rate)
            }
            for gap in waiting { note(gap, after: last, at: stored) }
            waiting = []
            stored += samplesPerLine
            guard let start else { return }
            last = start + length
            duration = max(duration, last - draft.startUptime)
        }
    }

    /// A line that stands for many samples gives up those of the line begun at a gap, and those in which filters settle after it: the gap is as
    /// long as from line to line.
    private func lengthen(_ gaps: inout [TextGap], from last: Double, to start: Double, _ rate: Double) {
        guard !gaps.isEmpty, stored > 0 else { return }
        let missing = ((start - last) * rate).rounded() - 1
        let told = gaps.reduce(0) { $0 + $1.count }
        if missing > Double(told), missing < 1e12 { gaps[gaps.count - 1].count += Int(missing) - told }
    }

    private mutating func surveySentences(
        _ file: DiskFile, _ draft: RecordingDescription
    ) throws(RecordingError) {
        unit = 1024
        var last = draft.startUptime
        bytes = try LineScan.whole(file) { line in
            if let gap = TextGap(line) { return note(gap, after: last, at: stored) }
            guard line.starts(with: "$PSTDY,".utf8) else {
                stored += line.count
                return
            }
            let fields = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            if fields.count > 2 { last = end(Substring(decoding: fields[2], as: UTF8.self), draft) ?? last }
        }
    }

    private mutating func end(_ uptime: Substring, _ draft: RecordingDescription) -> Double? {
        guard let time = TimeText.uptime(uptime) else { return nil }
        duration = max(duration, Double(time.nanoseconds) / 1e9 - draft.startUptime)
        return Double(time.nanoseconds) / 1e9
    }

    private mutating func note(_ gap: TextGap, after last: Double, at position: Int) {
        note(
            .init(
                startUptime: gap.start ?? last, endUptime: gap.end, samples: gap.count, reason: gap.reason,
                position: position))
    }

    private mutating func note(_ gap: RecordingDescription.GapNote) {
        lost[gap.reason, default: 0] += gap.samples
        if gaps.count < RecordingDescription.gapLimit { gaps.append(gap) } else { gapsOmitted += 1 }
    }
}
