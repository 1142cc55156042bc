// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

extension RecordingFormat {
    /// Axivity's blocks, for accelerometer with or without gyroscope.
    package static let cwa = RecordingFormat(rawValue: "cwa")
}

extension RecordedContent {
    package static let motion = RecordedContent("CWA motion")
}

/// CWA, which Axivity's tools and many others read.
struct CWAFormat: FormatKind {
    let format = RecordingFormat.cwa
    let title = "CWA"
    let measures = [MeasureKind.accelerometer, .gyroscope]
    let shrinks = true
    let content = RecordedContent.motion

    func encoder(
        _ source: SourceDescription, _ measure: MeasureConfiguration
    ) throws(FileError) -> CWAWriter { try CWAWriter(source: source) }

    func survey(_ file: File, _ draft: RecordingDescription) throws(FileError) -> SegmentSurvey {
        try SegmentSurvey(blocksOf: file, draft)
    }

    func retime(
        _ name: String, in folder: DiskFolder, by anchor: ClockAnchor, zone: Zone
    ) throws(FileError) {
        try RecordingTimes.rewrite(name, in: folder) { source, target throws(FileError) in
            try CWAClock.rewrite(source, to: target, anchor: anchor, zone: zone)
        }
    }

    func recognises(start: [UInt8]) -> Bool { start.starts(with: "MD".utf8) || start.starts(with: "AX".utf8) }

    /// Where the header is gone the blocks after it still say what the file was.
    func recognises(behindDamageIn file: File) throws(FileError) -> Bool {
        try file.read(4, at: CWAHeader.size) == [0x41, 0x58, 0xFC, 1]  // "AX" and the length 508: a block
    }

    func check(
        _ file: File, isCompressed: Bool, _ description: RecordingDescription?, _ found: inout ContentCheck
    ) throws(FileError) { try CWACheck(description: description).check(file, &found) }

    func summary(of file: File, _ name: String) throws(FileError) -> RecordingSummary? {
        let reader = try CWAReader(file)
        var survey = CWASurvey()
        while let block = try reader.nextBlock() { survey.add(block) }
        var remarks: [String] = survey.remarks
        if reader.header == nil { remarks.append("the header is damaged") }
        if reader.damagedBlocks > 0 { remarks.append("\(reader.damagedBlocks) of \(reader.blockCount) blocks damaged") }
        if survey.undated > 0 { remarks.append("no valid time in \(survey.undated) of \(reader.blockCount) blocks") }
        if reader.tornBytes > 0 { remarks.append("\(reader.tornBytes) trailing bytes: incomplete block") }
        let isUptime = reader.header?["clock"] == "uptime"
        return RecordingSummary(
            name: name, kind: "accelerometer", format: "cwa",
            device: reader.header.map { $0["device"] ?? "Axivity device \($0.deviceID)" },
            start: isUptime ? nil : survey.start?.instant(offset: 0), offset: nil, duration: survey.duration,
            rate: survey.rate, countedUnit: .samples, stored: survey.samples, lost: survey.missing,
            bytes: try file.size(), state: "foreign", remarks: remarks)
    }
}
