// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

extension ExportFormat {
    package static let wav = ExportFormat(rawValue: "wav")
}

/// FLAC as WAV, bit by bit: 16 bits, or 24 and 32 for files that have more; up to 8 channels.
/// Damaged frames, and what is missing between files, are silence, so that sound keeps its time.
///
/// Each file is decoded twice, first to count (damaged frames too, as both times they are silence): so
/// the sizes at the start are right even where nothing can be patched. More than 16 bits or two
/// channels are WAVE_FORMAT_EXTENSIBLE, as Microsoft's description of it wants.
package struct WAVExporter: Exporter {
    package let content = RecordedContent.sound
    package let format = ExportFormat.wav

    package func export(
        _ files: [RecordedFile], _ wanted: ExportOptions, to output: ExportOutput,
        progress: @escaping (Double) -> Void
    ) throws(FileError) -> [String] {
        let damage = try Self.export(files, window: wanted.window, to: output, progress: progress)
        let name = files.map(\.file.path).joined(separator: ", ")
        var notes = damage.damaged.map {
            "\($0): damaged frames are silence in the export, and what is cut off is missing"
        }
        if damage.silence > 0 {
            notes.append("\(name): \(Decimals.text(damage.silence, 2)) s are missing and exported as silence")
        }
        if damage.leftOut > 0 {
            let most = Decimals.text(Self.longestSilence / 3600, 0)
            notes.append(
                "\(name): a gap is at most \(most) h long in the export; \(Decimals.text(damage.leftOut, 2)) s more are left out"
            )
        }
        return notes
    }

    /// The largest data part that a WAV header can state.
    private static let limit = 0xFFFF_FFFF - 4096
    /// The longest silence that is written between two files, in seconds.
    private static let longestSilence = 86_400.0

    /// What an export left out or filled.
    package struct Damage: Sendable, Hashable {
        /// Paths of files in which frames are damaged or the end is cut.
        package var damaged: [String] = []
        /// Seconds of silence in place of what is missing.
        package var silence = 0.0
        /// Seconds of gaps beyond the longest silence.
        package var leftOut = 0.0
    }

    /// One file and the samples of it that are wanted.
    private struct Part {
        let file: RecordedFile
        let range: Range<Int>
        /// Samples of silence before it.
        let silence: Int
    }

    /// Writes the wanted part of several files, in the order of their starts.
    package static func export(
        _ sources: [RecordedFile], window: ExportWindow, to output: ExportOutput, progress: @escaping (Double) -> Void
    ) throws(FileError) -> Damage {
        let (parts, format, damage) = try plan(sources, window)
        let total = parts.reduce(0) { $0 + $1.silence + $1.range.count }
        guard total > 0, let first = parts.first else {
            throw .format(
                path: sources.first?.file.path ?? "",
                problem: "has no complete sound frame in the requested time")
        }
        let width = format.bits <= 16 ? 2 : format.bits <= 24 ? 3 : 4
        let bytes = total * format.channels * width
        guard bytes <= limit else {
            throw .format(
                path: first.file.file.path, problem: "is too long for WAV (4 GB at most); use --from and --until")
        }
        output.bytes(
            header(format, width, bytes, date: first.range.lowerBound == 0 ? first.file.description?.startDate : nil))
        var done = 0
        for part in parts {
            try silence(part.silence * format.channels * width, to: output)
            done += part.silence
            var place = 0
            let before = done
            let decoder = try FLACDecoder(part.file.file, limit: .max, keepsSamples: false) {
                samples, format throws(FileError) in
                let count = samples.count / format.channels
                let wanted = part.range.clamped(to: place..<place + count)
                for index in (wanted.lowerBound - place) * format.channels..<(wanted.upperBound - place)
                    * format.channels
                {
                    put(samples[index], format.bits, width, to: output)
                }
                try output.drain()
                place += count
                progress(Double(before + wanted.upperBound - part.range.lowerBound) / Double(total))
            }
            _ = try decoder.run()
            done += part.range.count
        }
        if bytes % 2 == 1 { output.byte(0) }
        return damage
    }

    /// Decodes every file once, to find what is written of it and the silence before it.
    private static func plan(
        _ sources: [RecordedFile], _ window: ExportWindow
    ) throws(FileError) -> (parts: [Part], format: FLACDecoder.Format, damage: Damage) {
        var (parts, damage): ([Part], Damage) = ([], Damage())
        var (format, end): (FLACDecoder.Format?, Instant?) = (nil, nil)
        // Local times with their offsets: as texts they would be out of order where the clock goes back.
        let ordered = sources.map { ($0, $0.description?.startDate.flatMap(Instant.parsed) ?? .epoch) }
            .sorted { $0.1 < $1.1 }.map(\.0)
        for source in ordered {
            guard source.content == .sound else {
                throw .format(
                    path: source.file.path,
                    problem: "is \(source.content.title), but the first file is FLAC sound; export them separately")
            }
            let scan = try FLACReader.scan(source.file)
            guard scan.samples > 0 else { continue }
            if let format, format != scan.format {
                throw .format(
                    path: source.file.path,
                    problem: "has another rate, width or number of channels; export them separately")
            }
            format = scan.format
            let rate = source.description?.measuredRate ?? Double(scan.format.rate)
            let start = source.description?.startDate.flatMap(Instant.parsed)
            let range = try wanted(scan.samples, rate, start, window, source)
            guard !range.isEmpty else { continue }
            var silence = 0
            let begin = start.map { $0 + .seconds(Double(range.lowerBound) / rate) }
            if let end, let begin, (begin - end).seconds > 0.01 {
                silence = Int(min(longestSilence, (begin - end).seconds) * Double(scan.format.rate))
                damage.leftOut += max(0, (begin - end).seconds - longestSilence)
            }
            end = start.map { $0 + .seconds(Double(range.upperBound) / rate) }
            if scan.sound.isDamaged { damage.damaged.append(source.file.path) }
            damage.silence += Double(silence + scan.missing) / Double(max(1, scan.format.rate))
            parts.append(Part(file: source, range: range, silence: silence))
        }
        return (parts, format ?? FLACDecoder.Format(rate: 1, channels: 1, bits: 16), damage)
    }

    /// The samples of one file within the window.
    private static func wanted(
        _ frames: Int, _ rate: Double, _ start: Instant?, _ window: ExportWindow, _ source: RecordedFile
    ) throws(FileError) -> Range<Int> {
        guard !window.isAll else { return 0..<frames }
        guard let start else {
            throw .format(
                path: source.file.path,
                problem: "has no start time, so no part of it can be exported by time")
        }
        let offset = source.description?.offsetSeconds ?? 0
        // Local times as if of UTC, hence less the offset below.
        let (from, until) = window.walls(offset: offset)
        func place(_ moment: Instant) -> Int {
            let elapsed: Duration = moment - start
            let seconds = (elapsed - .seconds(offset)).seconds
            return max(0, min(frames, Int((max(-1e9, min(1e9, seconds)) * rate).rounded(.up))))
        }
        let (first, end) = (from.map(place) ?? 0, until.map(place) ?? frames)
        return first..<max(first, end)
    }

    private static func silence(_ bytes: Int, to output: ExportOutput) throws(FileError) {
        var left = bytes
        while left > 0 {
            let piece = min(left, 65_536)
            output.bytes(repeatElement(0, count: piece))
            try output.drain()
            left -= piece
        }
    }

    /// Writes a value of `bits` bits, shifted to the top of `width` bytes.
    private static func put(_ value: Int32, _ bits: Int, _ width: Int, to output: ExportOutput) {
        let raised = Int64(value) << Int64(8 * width - bits)
        for byte in 0..<width { output.byte(UInt8(truncatingIfNeeded: raised >> Int64(8 * byte))) }
    }

    /// RIFF with the format, the date in a LIST, and the start of the data.
    private static func header(_ format: FLACDecoder.Format, _ width: Int, _ bytes: Int, date: String?) -> [UInt8] {
        let frame = format.channels * width
        let isPlain = width == 2 && format.channels <= 2
        // Format tag, channels, rate, bytes per second and per frame, bits; then the extension's length, valid bits,
        // loudspeakers and subformat.
        var fields =
            little(isPlain ? 1 : 0xFFFE, 2) + little(format.channels, 2) + little(format.rate, 4)
            + little(format.rate * frame, 4) + little(frame, 2) + little(8 * width, 2)
        if !isPlain {
            fields +=
                little(22, 2) + little(format.bits <= 16 ? 16 : format.bits, 2) + little(speakers(format.channels), 4)
            // KSDATAFORMAT_SUBTYPE_PCM.
            fields += [1, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
        }
        var parts = Array("WAVE".utf8) + chunk("fmt ", fields)
        if let date { parts += chunk("LIST", Array("INFO".utf8) + chunk("ICRD", Array(date.utf8) + [0])) }
        parts += Array("data".utf8) + little(bytes, 4)
        return Array("RIFF".utf8) + little(parts.count + bytes + bytes % 2, 4) + parts
    }

    /// Which loudspeakers FLAC's channels are for (RFC 9639, section 9.1.3), in Microsoft's bits.
    private static func speakers(_ channels: Int) -> Int {
        [0, 0x4, 0x3, 0x7, 0x33, 0x37, 0x3F, 0x70F, 0x63F][max(0, min(8, channels))]
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        Array(name.utf8) + little(content.count, 4) + content + (content.count % 2 == 1 ? [0] : [])
    }

    private static func little(_ value: Int, _ width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
