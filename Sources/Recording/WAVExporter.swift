// SPDX-License-Identifier: Apache-2.0

/// FLAC as WAV of 16 bits.
///
/// The file is decoded twice, first to count: so the sizes at the start are right even where nothing can be patched.
public enum WAVExporter {
    /// The largest data part whose size a WAV header can say.
    private static let limit = 0xFFFF_FFFF - 4096

    /// Writes a whole file; `progress` gets the share that is done. Returns whether frames were damaged and are missing.
    public static func export(
        _ source: RecordedFile, to output: ExportOutput, progress: @escaping (Double) -> Void
    ) throws(RecordingError) -> Bool {
        let (sound, frames) = try FLACReader.scan(source.file)
        guard frames > 0 else { throw .format(path: source.file.path, problem: "holds no whole frame of sound") }
        let bytes = frames * sound.channels * 2
        guard bytes <= limit else {
            throw .format(path: source.file.path, problem: "is too long for WAV, which ends at 4 GB")
        }
        output.bytes(header(sound, bytes, date: source.description?.startDate))
        var done = 0
        let decoder = try FLACDecoder(source.file, limit: .max, keepsSamples: false) {
            samples, _, channels throws(RecordingError) in
            output.bytes(samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] })
            try output.drain()
            done += samples.count / max(1, channels)
            progress(Double(done) / Double(frames))
        }
        _ = try decoder.run()
        return sound.isDamaged
    }

    /// RIFF with the format, the date in a LIST, and the start of the data.
    private static func header(_ sound: FLACReader.Sound, _ bytes: Int, date: String?) -> [UInt8] {
        let frame = sound.channels * 2
        let format =
            little(1, 2) + little(sound.channels, 2) + little(sound.rate, 4)
            + little(sound.rate * frame, 4) + little(frame, 2) + little(16, 2)
        var parts = Array("WAVE".utf8) + chunk("fmt ", format)
        if let date { parts += chunk("LIST", Array("INFO".utf8) + chunk("ICRD", Array(date.utf8) + [0])) }
        parts += Array("data".utf8) + little(bytes, 4)
        return Array("RIFF".utf8) + little(parts.count + bytes, 4) + parts
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        Array(name.utf8) + little(content.count, 4) + content + (content.count % 2 == 1 ? [0] : [])
    }

    private static func little(_ value: Int, _ width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
