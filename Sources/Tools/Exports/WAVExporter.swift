// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

extension ExportFormat {
    package static let wav = ExportFormat(rawValue: "wav")
}

/// FLAC as WAV, bit by bit, for `studyd-tools export --to wav`: 16 bits, or 24 and 32 for files that have more;
/// up to 8 channels. Damaged frames, and what is missing between files, are silence, so that sound keeps its
/// time.
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
            throw first.file.refusal("is too long for WAV (4 GB at most); use --from and --until")
        }
        output.bytes(
            WAVHeader.bytes(
                format, width: width, dataBytes: bytes,
                date: first.range.lowerBound == 0 ? first.file.description?.startDate : nil))
        var done = 0
        for part in parts {
            try silence(part.silence * format.channels * width, to: output)
            done += part.silence
            let before = done
            try write(part, width, to: output) { progress(Double(before + $0) / Double(total)) }
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
                throw source.refusal(
                    "is \(source.content.title), but the first file is FLAC sound; export them separately")
            }
            let scan = try FLACReader.scan(source.file)
            guard scan.samples > 0 else { continue }
            if let format, format != scan.format {
                throw source.refusal("has another rate, width or number of channels; export them separately")
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
            if scan.isDamaged { damage.damaged.append(source.file.path) }
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
            throw source.refusal("has no start time, so no part of it can be exported by time")
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

    /// Writes the wanted samples of a file; `progress` gets how many there are so far, of a channel.
    private static func write(
        _ part: Part, _ width: Int, to output: ExportOutput, progress: @escaping (Int) -> Void
    ) throws(FileError) {
        var place = 0
        let decoder = try FLACDecoder(part.file.file) { samples, format throws(FileError) in
            let (channels, count) = (format.channels, samples.count / format.channels)
            let wanted = part.range.clamped(to: place..<place + count)
            for index in (wanted.lowerBound - place) * channels..<(wanted.upperBound - place) * channels {
                put(samples[index], format.bits, width, to: output)
            }
            try output.drain()
            place += count
            progress(wanted.upperBound - part.range.lowerBound)
        }
        try decoder.run()
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
}
