// SPDX-License-Identifier: Apache-2.0
import Times

/// Looks into a file itself, ours or anybody's: CWA, FLAC, NMEA, or our CSV.
public enum FileInspector {
    /// The summary of any recording file, told apart by its first bytes. Where one of our descriptions lies beside it, the
    /// summary is that of the description.
    public static func summary(of path: String) throws(RecordingError) -> RecordingSummary {
        let file = try DiskFile(path, .read)
        let name = path.split(separator: "/").last.map(String.init) ?? path
        if let ours = try described(path, name, bytes: file.size()) { return ours }
        let start = try file.read(4, at: 0)
        if start.starts(with: "MD".utf8) || start.starts(with: "AX".utf8) { return try motion(file, name) }
        if start.starts(with: "fLaC".utf8) { return try sound(file, name) }
        return try text(file, name, isCompressed: start.starts(with: [0x1F, 0x8B]))
    }

    /// What is wrong with a recording file, in words; empty when its digest is the described one and its blocks or frames
    /// are whole. For `studyd recordings verify`.
    public static func problems(of path: String) throws(RecordingError) -> [String] {
        let file = try DiskFile(path, .read)
        let name = path.split(separator: "/").last.map(String.init) ?? path
        var problems: [String] = []
        if let description = try description(path, name), description.state == .sealed {
            let digest = try FileDigest.sha256(of: file)
            if digest != description.sha256 {
                problems.append("SHA-256 is \(digest), described is \(description.sha256)")
            }
        }
        let start = try file.read(4, at: 0)
        if start.starts(with: "MD".utf8) || start.starts(with: "AX".utf8) {
            let reader = try CWAReader(file)
            while try reader.nextBlock() != nil {}
            if reader.header == nil { problems.append("the header is damaged") }
            if reader.damagedBlocks > 0 { problems.append("\(reader.damagedBlocks) blocks are damaged") }
            if reader.tornBytes > 0 { problems.append("\(reader.tornBytes) bytes at the end are no whole block") }
        } else if start.starts(with: "fLaC".utf8), try FLACReader.scan(file).sound.isDamaged {
            problems.append("frames are damaged or cut")
        }
        return problems
    }

    private static func described(
        _ path: String, _ name: String, bytes: Int
    ) throws(RecordingError) -> RecordingSummary? {
        try description(path, name).map { RecordingSummary($0, bytes: bytes) }
    }

    /// The description beside a file of ours; nil where there is none, and the file has to speak for itself.
    static func description(
        _ path: String, _ name: String
    ) throws(RecordingError) -> RecordingDescription? {
        guard let ours = RecordingName(name) else { return nil }
        let beside = path.dropLast(name.count) + (name.hasSuffix(".partial") ? ours.draft : ours.description)
        guard let file = try? DiskFile(String(beside), .read), try file.size() < 4 << 20 else { return nil }
        return try RecordingDescription(json: file.read(file.size(), at: 0), path: file.path)
    }

    private static func motion(_ file: DiskFile, _ name: String) throws(RecordingError) -> RecordingSummary {
        let reader = try CWAReader(file)
        var survey = CWASurvey()
        while let block = try reader.nextBlock() { survey.add(block) }
        var remarks: [String] = survey.remarks
        if reader.header == nil { remarks.append("the header is damaged") }
        if reader.damagedBlocks > 0 { remarks.append("\(reader.damagedBlocks) of \(reader.blockCount) blocks damaged") }
        if reader.tornBytes > 0 { remarks.append("\(reader.tornBytes) bytes at the end are no whole block") }
        let isUptime = reader.header?["clock"] == "uptime"
        return RecordingSummary(
            name: name, kind: "accelerometer", format: "cwa",
            device: reader.header.map { $0["device"] ?? "Axivity device \($0.deviceID)" },
            start: isUptime ? nil : survey.start?.instant(offset: 0), offset: nil, duration: survey.duration,
            rate: survey.rate, countedUnit: "samples", stored: survey.samples, lost: survey.missing,
            bytes: try file.size(), state: "foreign", remarks: remarks)
    }

    private static func sound(_ file: DiskFile, _ name: String) throws(RecordingError) -> RecordingSummary {
        let scan = try FLACReader.scan(file)
        let (sound, frames) = (scan.sound, scan.frames)
        var remarks = ["\(scan.format.bits) bits, \(scan.format.channels) channels"]
        if scan.missing > 0 { remarks.append("damaged frames: \(scan.missing) samples are missing") }
        if sound.isDamaged { remarks.append("cut or damaged: \(sound.wholeBytes) bytes are good") }
        return RecordingSummary(
            name: name, kind: "sound", format: "flac", device: nil, start: nil, offset: nil,
            duration: Double(frames) / Double(max(1, sound.rate)), rate: Double(sound.rate), countedUnit: "samples",
            stored: frames - scan.missing, lost: scan.missing, bytes: try file.size(), state: "foreign",
            remarks: remarks)
    }

    private static func text(
        _ file: DiskFile, _ name: String, isCompressed: Bool
    ) throws(RecordingError) -> RecordingSummary {
        var survey = TextSurvey()
        if isCompressed {
            // Our own text files are some MB a day; what is longer is looked at in part.
            let content = try GzipFile.contents(file, limit: 1 << 26)
            for line in content.split(separator: 0x0A) { survey.add(line) }
        } else if (try? RecordedFile(file.path))?.content == .sentences {
            // As the exports find them, whatever stands between.
            try SentenceScan.all(file) { survey.add($0) }
        } else {
            _ = try LineScan.whole(file) { survey.add($0) }
        }
        guard survey.sentences > 0 || survey.rows > 0 else {
            throw .format(path: file.path, problem: "is no CWA, FLAC, NMEA or CSV recording")
        }
        let isNMEA = survey.sentences > survey.rows
        return RecordingSummary(
            name: name, kind: isNMEA ? "position" : nil, format: isNMEA ? "nmea" : "csv", device: nil,
            start: survey.first, offset: 0, duration: survey.duration,
            rate: nil, countedUnit: isNMEA ? "sentences" : "rows", stored: isNMEA ? survey.sentences : survey.rows,
            lost: 0, bytes: try file.size(), state: "foreign", remarks: survey.remarks)
    }
}
