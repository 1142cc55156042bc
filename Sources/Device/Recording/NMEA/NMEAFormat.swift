// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

extension RecordingFormat {
    /// The receiver's sentences as received.
    package static let nmea = RecordingFormat(rawValue: "nmea")
}

extension RecordedContent {
    package static let sentences = RecordedContent("NMEA position")
}

/// NMEA 0183, which every tool for positions reads.
struct NMEAFormat: FormatKind {
    let format = RecordingFormat.nmea
    let title = "NMEA"
    let measures = [MeasureKind.position]
    let shrinks = true
    let isText = true
    let content = RecordedContent.sentences

    func encoder(
        _ source: SourceDescription, _ measure: MeasureConfiguration
    ) throws(FileError) -> NMEAWriter { NMEAWriter() }

    func survey(_ file: File, _ draft: RecordingDescription) throws(FileError) -> SegmentSurvey {
        try SegmentSurvey(sentencesOf: file, draft)
    }

    func retime(
        _ name: String, in folder: DiskFolder, by anchor: ClockAnchor, zone: Zone
    ) throws(FileError) {
        try RecordingTimes.rewriteLines(name, in: folder) { Self.sentence($0, anchor) }
    }

    func recognises(line: ArraySlice<UInt8>, isStrict: Bool) -> Bool { NMEAFraming.body(line) != nil }

    func check(
        _ file: File, isCompressed: Bool, _ description: RecordingDescription?, _ found: inout ContentCheck
    ) throws(FileError) {
        try found.checkSentences(TextLines(file, isCompressed: isCompressed))
        found.expect(
            description?.channels.allSatisfy { $0.unit == "text" && $0.scale == 1 } ?? true,
            "sentences have no channel other than their text")
    }

    private static func sentence(_ line: ArraySlice<UInt8>, _ anchor: ClockAnchor) -> [UInt8] {
        let own = NMEAFraming.ownSentence(in: line)
        guard own.starts(with: "$PSTDY,E,".utf8), let body = NMEAFraming.body(own) else { return Array(line) }
        let fields = String(decoding: body, as: UTF8.self).split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count == 4, fields[3].isEmpty, let uptime = UptimeText.time(fields[2]) else { return Array(line) }
        let epoch = NMEAFraming.bytes("PSTDY,E,\(fields[2]),\(anchor.instant(at: uptime).rfc3339(offset: 0))")
        return line.dropLast(own.count) + epoch
    }
}

extension SegmentSurvey {
    fileprivate init(sentencesOf file: File, _ draft: RecordingDescription) throws(FileError) {
        self.init()
        mostWaiting = NMEAWriter.longestLine
        var last = draft.startUptime
        bytes = try LineScan.whole(file, hole: LineScan.block) { line in
            let own = NMEAFraming.ownSentence(in: line)
            stored += line.count - own.count
            if let gap = TextGap(own) { return record(gap, after: last, at: stored) }
            let fields = own.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            if fields.count > 2 {
                last = extendDuration(to: Substring(decoding: fields[2], as: UTF8.self), draft) ?? last
            }
        }
    }

    /// Returns the uptime in seconds; nil where it is none.
    private mutating func extendDuration(to uptime: Substring, _ draft: RecordingDescription) -> Double? {
        guard let time = UptimeText.time(uptime) else { return nil }
        duration = max(duration, Double(time.nanoseconds) / 1e9 - draft.startUptime)
        return Double(time.nanoseconds) / 1e9
    }
}
