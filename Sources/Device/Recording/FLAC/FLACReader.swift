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
    package static func scan(_ file: File) throws(FileError) -> FLACDecoder {
        let decoder = try FLACDecoder(file, limit: .max)
        _ = try decoder.run()
        return decoder
    }
}
