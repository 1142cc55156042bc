// SPDX-License-Identifier: Apache-2.0
import Times

/// What a recording file itself tells of its own wholeness, whoever wrote it, and what is in it, to be compared with a description.
struct ContentCheck {
    /// What is wrong, in words.
    var problems: [String] = []
    /// What may come from the measuring (noise on a serial line, a receiver's clock) as well as from damage: wrong unless a digest
    /// vouches for the bytes.
    var noise: [String] = []
    /// In the unit that a description of it counts.
    var stored = 0
    /// CLOCK_MONOTONIC of the first and the last time in it, in seconds; for CWA seconds of its wall clock since 2000-01-01.
    var first: Double?
    /// As `first`.
    var last: Double?
    /// What kind of file it is.
    let content: RecordedContent
    /// Of a CWA file; nil when it is damaged.
    var header: CWAHeader?
    /// The first good block of a CWA file.
    var block: CWABlock?
    /// Of a CSV file.
    var head = CSVHead()
    /// Of a FLAC file.
    var soundRate = 0
    /// Of a FLAC file, at most 2.
    var soundChannels = 0

    /// Looks through a whole file in constant memory. Throws for one that is no recording at all.
    init(_ file: DiskFile, _ description: RecordingDescription?) throws(RecordingError) {
        let start = try file.read(4, at: 0)
        let format = description.flatMap { RecordingFormat(rawValue: $0.format) }
        // Where the header is gone the blocks behind it still say what the file was.
        let block = try file.read(4, at: CWAHeader.size)
        let isMotion = start.starts(with: "MD".utf8) || start.starts(with: "AX".utf8) || block == [0x41, 0x58, 0xFC, 1]
        if isMotion || format == .cwa {
            content = .motion
            try checkBlocks(file, description)
        } else if start.starts(with: "fLaC".utf8) || format == .flac {
            content = .sound
            try checkFrames(file)
        } else {
            let isCompressed = start.starts(with: [0x1F, 0x8B])
            content = try Self.text(file, isCompressed, format)
            if isCompressed, let fault = try GzipFile.fault(file) { problems.append(fault) }
            if content == .table {
                try checkTable(file, isCompressed, description)
            } else {
                try checkSentences(TextLines(file, isCompressed: isCompressed))
            }
        }
    }

    /// By the first lines; by the description where there is one, so that damage to them is damage and no other kind of file.
    private static func text(
        _ file: DiskFile, _ isCompressed: Bool, _ format: RecordingFormat?
    ) throws(RecordingError) -> RecordedContent {
        switch format {
        case .csv, .levels, .events: return .table
        case .nmea: return .sentences
        case .cwa, .flac, nil: break
        }
        let lines = try TextLines(file, isCompressed: isCompressed)
        for _ in 0..<2000 {
            guard let line = try lines.next() else { break }
            if line.starts(with: "time,uptime,".utf8) || line.starts(with: "#studyd ".utf8) { return .table }
            if NMEASentence.body(line) != nil { return .sentences }
        }
        throw .format(path: file.path, problem: "is no CWA, FLAC, NMEA or CSV recording")
    }

    private mutating func checkFrames(_ file: DiskFile) throws(RecordingError) {
        let scan = try FLACReader.scan(file)
        if scan.sound.isDamaged || scan.missing > 0 { problems.append("frames are damaged or cut") }
        problems += scan.contradictions
        (stored, soundRate, soundChannels) = (scan.frames - scan.missing, scan.format.rate, scan.format.channels)
    }
}
