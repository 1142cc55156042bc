// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

extension RecordedContent {
    /// Our CSV, perhaps gzipped.
    package static let table = RecordedContent("CSV")
}

/// What all our tables have in common: `time,uptime,...`, gzipped when sealed (finished: hashed, described and
/// renamed).
protocol CSVFormat: FormatKind {
    /// Samples that one line covers.
    func samplesPerLine(_ draft: RecordingDescription) -> Int
    var hasUnits: Bool { get }
}

extension CSVFormat {
    var title: String { "CSV" }
    var isGzipped: Bool { true }
    var isText: Bool { true }
    var hasUnits: Bool { true }
    var content: RecordedContent { .table }
    func samplesPerLine(_ draft: RecordingDescription) -> Int { 1 }

    func survey(_ file: File, _ draft: RecordingDescription) throws(FileError) -> SegmentSurvey {
        try SegmentSurvey(linesOf: file, draft, samplesPerLine: samplesPerLine(draft))
    }

    func retime(
        _ name: String, in folder: DiskFolder, by anchor: ClockAnchor, zone: Zone
    ) throws(FileError) {
        try RecordingTimes.rewriteLines(name, in: folder) { timed($0, anchor) }
    }

    func check(
        _ file: File, isCompressed: Bool, _ description: RecordingDescription?, _ found: inout ContentCheck
    ) throws(FileError) {
        let isOurs = description?.format == format.rawValue
        try found.checkTable(file, isCompressed, description, hasUnits: hasUnits && isOurs)
    }

    /// A row with an empty time begins with a comma; the uptime is its second column.
    private func timed(_ line: ArraySlice<UInt8>, _ anchor: ClockAnchor) -> [UInt8] {
        guard line.first == UInt8(ascii: ","), let end = line.dropFirst().firstIndex(of: UInt8(ascii: ",")),
            let uptime = UptimeText.time(Substring(decoding: line[line.startIndex + 1..<end], as: UTF8.self))
        else { return Array(line) }
        return Array(anchor.instant(at: uptime).rfc3339(offset: 0).utf8) + line
    }
}

extension SegmentSurvey {
    /// A line has the time of its first sample. A gap counts once the next line is there: the file
    /// cannot tell how long one at its end was.
    fileprivate init(linesOf file: File, _ draft: RecordingDescription, samplesPerLine: Int) throws(FileError) {
        self.init()
        // A cut may lose the samples of the line that was not finished.
        mostWaiting = samplesPerLine
        let rate = max(draft.nominalRate, 1e-3)
        let length = Double(samplesPerLine - 1) / rate
        // CLOCK_MONOTONIC of the last sample; of the file's start before there is one.
        var last = draft.startUptime
        var waiting: [TextGap] = []
        bytes = try LineScan.whole(file) { line in
            if let gap = TextGap(line) { waiting.append(gap) }
            guard let byte = line.first, byte == UInt8(ascii: ",") || (48...57).contains(byte) else { return }
            let columns = line.split(separator: UInt8(ascii: ","), maxSplits: 2, omittingEmptySubsequences: false)
            let time =
                columns.count > 1 ? UptimeText.time(Substring(decoding: columns[1], as: UTF8.self)) : nil
            let start = time.map { Double($0.nanoseconds) / 1e9 }
            if samplesPerLine > 1, let start {
                if stored == 0 { firstUptime = start }
                lengthen(&waiting, from: last, to: start, rate)
            }
            for gap in waiting { record(gap, after: last, at: stored) }
            waiting = []
            stored += samplesPerLine
            guard let start else { return }
            last = start + length
            duration = max(duration, last - draft.startUptime)
        }
    }

    /// At a gap the writer of lines that cover many samples throws away those of the line it had begun,
    /// and those after the gap in which its filters settle. So what is missing is what the time between
    /// the samples on either side has room for, which is more than the `#gap` lines say.
    private func lengthen(_ gaps: inout [TextGap], from last: Double, to start: Double, _ rate: Double) {
        guard !gaps.isEmpty, stored > 0 else { return }
        let missing = ((start - last) * rate).rounded() - 1
        let listed = gaps.reduce(0) { $0 + $1.count }
        if missing > Double(listed), missing < 1e12 { gaps[gaps.count - 1].count += Int(missing) - listed }
    }
}
