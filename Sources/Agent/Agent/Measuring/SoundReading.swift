// SPDX-License-Identifier: Apache-2.0
import Glibc

/// How loud some seconds of sound are, for a question about noise (`DeviceReadings`): in dB below the largest sample
/// that 16 bits hold, of the whole, and of the quietest and the loudest second.
///
/// As ESMira's app computes it (NoiseLevelView.kt, ESMira-apps f750e58): what is left of each
/// stretch without its mean; no weighting by frequency.
struct SoundReading: Sendable, Hashable {
    /// How the id of a recording begins that is only made for a reading, and is not kept.
    static let prefix = "reading:"

    /// Total, quietest, loudest.
    let figures: [Double]

    /// Reads the first channel of interleaved samples, for this many seconds; nil where more than half a
    /// second is missing at the end.
    init?(_ samples: [Int16], channels: Int, rate: Int, seconds: Int) {
        let frames = min(samples.count / channels, seconds * rate)
        guard rate > 0, seconds > 0, frames * 2 >= (2 * seconds - 1) * rate else { return nil }
        func level(_ range: Range<Int>) -> Double {
            var (sum, squares) = (0.0, 0.0)
            for frame in range {
                let sample = Double(samples[frame * channels])
                (sum, squares) = (sum + sample, squares + sample * sample)
            }
            let (count, mean) = (Double(range.count), sum / Double(range.count))
            // What is not louder than this is silence.
            let power = squares / count - mean * mean
            return 20 * log10((power > 0 ? power.squareRoot() : 1e-9) / 32_768)
        }
        let windows = (0..<seconds).map { $0 * rate..<min(frames, ($0 + 1) * rate) }.filter { !$0.isEmpty }.map(level)
        guard let least = windows.min(), let most = windows.max() else { return nil }
        figures = [level(0..<frames), least, most]
    }

    /// The ambient level of sound with any number of channels, 0 to 1: the mean, over all samples
    /// that are not 0, of each one's level in dB below 32 767, scaled so that -60 and less are 0;
    /// to four places (ResearchKit daba8c9f, `ORKAudioLevelNavigationRule.m`,
    /// `checkAudioLevelFromSoundFile`).
    static func ambientLevel(_ samples: [Int16]) -> Double {
        var (sum, count) = (0.0, 0)
        for sample in samples where sample != 0 {
            let decibels = 20 * log10(Double(sample.magnitude) / 32_767)
            (sum, count) = (sum + max(decibels / 60, -1) + 1, count + 1)
        }
        return count > 0 ? (sum / Double(count) * 10_000).rounded() / 10_000 : 0
    }
}
