// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

extension RecordingFormat {
    package static let flac = RecordingFormat(rawValue: "flac")
}

extension RecordedContent {
    package static let sound = RecordedContent("FLAC sound")
}

/// FLAC, lossless sound that most players read; its encoder is `FLACWriter`.
struct FLACFormat: FormatKind {
    let format = RecordingFormat.flac
    let title = "FLAC"
    let measures = [MeasureKind.sound]
    let content = RecordedContent.sound

    func encoder(
        _ source: SourceDescription, _ measure: MeasureConfiguration
    ) throws(FileError) -> FLACWriter { FLACWriter(source: source) }

    func survey(_ file: File, _ draft: RecordingDescription) throws(FileError) -> SegmentSurvey {
        try SegmentSurvey(framesOf: file, draft)
    }

    /// The `DATE` comment is the only time in FLAC; it is overwritten in place.
    func retime(
        _ name: String, in folder: DiskFolder, by anchor: ClockAnchor, zone: Zone
    ) throws(FileError) {
        let file = try File(folder.file(name), .update)
        try FLACTags.rewriteDate(of: file, anchor: anchor, zone: zone)
        try file.sync()
    }

    func recognises(start: [UInt8]) -> Bool { start.starts(with: "fLaC".utf8) }

    func check(
        _ file: File, isCompressed: Bool, _ description: RecordingDescription?, _ found: inout ContentCheck
    ) throws(FileError) {
        let scan = try FLACReader.scan(file)
        if scan.isDamaged || scan.missing > 0 { found.problems.append("damaged or truncated frames") }
        found.problems += scan.contradictions
        found.stored = scan.samples - scan.missing
        guard let description else { return }
        let rate = Int(description.nominalRate.rounded())
        found.expect(scan.format.rate == rate, "its rate differs from the description")
        found.expect(scan.format.channels == 1, "it has more than one channel")
    }

    func summary(of file: File, _ name: String) throws(FileError) -> RecordingSummary? {
        let scan = try FLACReader.scan(file)
        var remarks = ["\(scan.format.bits) bits, \(scan.format.channels) channels"]
        if scan.missing > 0 { remarks.append("damaged frames: \(scan.missing) samples are missing") }
        if try scan.whole.bytes < file.size() {
            remarks.append("truncated or damaged: \(scan.whole.bytes) bytes are intact")
        }
        return RecordingSummary(
            name: name, kind: "sound", format: "flac", device: nil, start: nil, offset: nil,
            duration: Double(scan.samples) / Double(max(1, scan.format.rate)), rate: Double(scan.format.rate),
            countedUnit: .samples, stored: scan.samples - scan.missing, lost: scan.missing, bytes: try file.size(),
            state: "foreign", remarks: remarks)
    }
}

extension SegmentSurvey {
    fileprivate init(framesOf file: File, _ draft: RecordingDescription) throws(FileError) {
        self.init()
        guard try file.read(4, at: 0) == Array("fLaC".utf8) else { return }
        let scan = try FLACReader.scan(file)
        let samples = scan.whole.samples
        (bytes, stored, damagedSamples) = (scan.whole.bytes, samples - scan.whole.missing, scan.whole.missing)
        // libFLAC holds a FLAC frame until it is full; twice that is a safe bound.
        mostWaiting = 2 * FLACWriter.blockSize
        for gap in draft.gaps where gap.position < samples { record(gap) }
        let rate = max(1, draft.nominalRate)
        duration =
            gaps.last.map { $0.endUptime - draft.startUptime + Double(samples - $0.position) / rate }
            ?? Double(samples) / rate
        let field = try file.read(8, at: 18)
        if field.count == 8 { patches = [Self.patch(ofForm: field, scan)] }
    }

    /// STREAMINFO has in the 8 bytes at 18 the rate (20 bits), the channels and the width less 1 (3 and 5), and the
    /// number of samples (36). A power cut in sealing may have left zeros in them: the frames have all but that.
    private static func patch(ofForm field: [UInt8], _ scan: FLACDecoder) -> SegmentPatch {
        let written = field.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 36
        let form =
            scan.format.bits == 0
            ? written
            : UInt64(scan.format.rate) << 8 | UInt64(scan.format.channels - 1) << 5 | UInt64(scan.format.bits - 1)
        let value = form << 36 | UInt64(scan.whole.samples)
        let sealed = (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (7 - $0))) }
        // The MD5 after it may have reached the disk before the samples that it is of: 0 is "not
        // known" (RFC 9639, 8.2).
        let isWhole = !scan.isDamaged && scan.missing == 0 && scan.contradictions.isEmpty
        return SegmentPatch(offset: 18, bytes: isWhole ? sealed : sealed + [UInt8](repeating: 0, count: 16))
    }
}
