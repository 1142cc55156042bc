// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// Decodes a whole FLAC file, for playing a study's sounds and for looking at recordings.
package enum FLACReader {
    package struct Sound: Sendable, Hashable {
        /// Samples per second.
        package var rate: Int
        /// 1 to 8.
        package var channels: Int
        /// Samples, interleaved where there are several channels, brought to 16 bits; silence in
        /// place of damaged frames.
        package var samples: [Int16]
        /// Bytes up to the end of the last whole frame, to which a torn file is truncated.
        package var wholeBytes: Int
        /// True when the file ended in the middle of a frame or held damage.
        package var isDamaged: Bool
    }

    /// Decodes a file of at most `limit` samples (all channels together; the default, 29 MB, is 5
    /// minutes of 48 kHz). Throws for more, and for what is no FLAC.
    package static func read(_ file: File, limit: Int = 14_400_000) throws(FileError) -> Sound {
        let decoder = try FLACDecoder(file, limit: limit, keepsSamples: true)
        return try decoder.run()
    }

    /// As `read`, without keeping the samples: finds out length and damage in constant memory.
    package static func scan(_ file: File) throws(FileError) -> Scan {
        let decoder = try FLACDecoder(file, limit: .max, keepsSamples: false)
        let sound = try decoder.run()
        return Scan(
            sound: sound, format: decoder.format, samples: decoder.samples, missing: decoder.missing,
            whole: (decoder.whole.samples, decoder.whole.missing), contradictions: decoder.contradictions)
    }

    /// What a look at a whole file finds.
    package struct Scan: Sendable {
        /// `samples` of it is empty.
        package let sound: Sound
        package let format: FLACDecoder.Format
        /// Samples of one channel, including those of damaged frames.
        package let samples: Int
        /// Samples of one channel in damaged frames.
        package let missing: Int
        /// The same two numbers up to the end of the last whole frame, where `sound.wholeBytes` ends.
        package let whole: (samples: Int, missing: Int)
        /// What the frames and the stream's header do not agree on, in words.
        package let contradictions: [String]
    }
}
