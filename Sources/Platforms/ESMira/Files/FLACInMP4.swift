// SPDX-License-Identifier: Apache-2.0

/// A FLAC file as the sound of an MP4 file: its frames as they are, in another container
/// ("Encapsulation of FLAC in ISO Base Media File Format", version 0.0.4, of Xiph).
///
/// The server of ESMira takes only what PHP's `mime_content_type` calls a video, because phones record into
/// MP4; FLAC by itself is `audio/flac`. So `ESMiraFileUpload` sends recordings in this form.
enum FLACInMP4 {
    /// Nil where `flac` is not a complete FLAC file. The result depends on the input alone, so that a
    /// retry sends the same bytes.
    static func file(_ flac: [UInt8]) -> [UInt8]? {
        guard let sound = FLACFrames(flac), let first = sound.frames.first else { return nil }
        let head = box("ftyp", text("isom") + number(512) + text("isomiso2mp41"))
        let data = Array(flac[first.start...])
        let offset = head.count + movie(sound, offset: 0).count + 8
        return head + movie(sound, offset: offset) + box("mdat", data)
    }

    /// `offset` is where the frames begin in the MP4 file; it does not change the box's size.
    private static func movie(_ sound: FLACFrames, offset: Int) -> [UInt8] {
        let samples = sound.frames.reduce(0) { $0 + $1.samples }
        // In the movie's own time scale, milliseconds.
        let length = (samples * 1_000 + sound.rate - 1) / sound.rate
        let unity = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000].flatMap { number($0) }
        // Times, time scale, length, rate 1 and volume 1; the matrix; the number of the next track.
        let header = full(
            "mvhd",
            [0, 0, 1_000, length, 0x10000, 0x100_0000, 0, 0].flatMap { number($0) } + unity
                + zeros(24) + number(2))
        // Flags 3: enabled, in the movie. Times, the track's number, length, volume 1; the matrix; no size.
        let track = full(
            "tkhd", flags: 3, [0, 0, 1, 0, length, 0, 0, 0, 0x100_0000].flatMap { number($0) } + unity + zeros(8))
        // 0x55C4: `und`, no language is known.
        let media = box(
            "mdia",
            full("mdhd", [0, 0, sound.rate, samples].flatMap { number($0) } + number(0x55C4, 2) + zeros(2))
                + full("hdlr", zeros(4) + text("soun") + zeros(13))
                + box(
                    "minf",
                    full("smhd", zeros(4)) + box("dinf", full("dref", number(1) + full("url ", flags: 1, [])))
                        + tables(sound, offset: offset)))
        return box("moov", header + box("trak", track + media))
    }

    /// Where each frame lies; all of them are in one chunk.
    private static func tables(_ sound: FLACFrames, offset: Int) -> [UInt8] {
        // The last block of metadata, STREAMINFO, of 34 bytes.
        let info = full("dfLa", [0x80, 0, 0, 34] + sound.streamInfo)
        let entry = box(
            "fLaC",
            zeros(6) + number(1, 2) + zeros(8) + number(sound.channels, 2) + number(sound.bits, 2) + zeros(4)
                + number(sound.rate < 65_536 ? sound.rate << 16 : 0) + info)
        var spans: [(count: Int, samples: Int)] = []
        for frame in sound.frames {
            if let last = spans.last, last.samples == frame.samples {
                spans[spans.count - 1].count += 1
            } else {
                spans.append((1, frame.samples))
            }
        }
        return box(
            "stbl",
            full("stsd", number(1) + entry)
                + full("stts", number(spans.count) + spans.flatMap { number($0.count) + number($0.samples) })
                + full("stsc", [1, 1, sound.frames.count, 1].flatMap { number($0) })
                + full("stsz", number(0) + number(sound.frames.count) + sound.frames.flatMap { number($0.length) })
                + full("stco", number(1) + number(offset)))
    }

    private static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        number(content.count + 8) + text(name) + content
    }

    /// A "full box": version 0 and flags before the content.
    private static func full(_ name: String, flags: Int = 0, _ content: [UInt8]) -> [UInt8] {
        box(name, number(flags) + content)
    }

    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }
    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    /// Big-endian.
    private static func number(_ value: Int, _ bytes: Int = 4) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
