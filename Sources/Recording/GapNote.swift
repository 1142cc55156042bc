// SPDX-License-Identifier: Apache-2.0
import Times

extension RecordingDescription {
    /// One gap.
    public struct GapNote: Sendable, Hashable, Codable {
        /// CLOCK_MONOTONIC of the first sample after it, in seconds.
        public var uptime: Double
        /// How many samples are missing.
        public var samples: Int
        /// Why (`LossReason`).
        public var reason: String
        /// Samples in the file before it.
        public var position: Int

        /// A note of a gap.
        public init(uptime: Double, samples: Int, reason: String, position: Int) {
            self.uptime = uptime
            self.samples = samples
            self.reason = reason
            self.position = position
        }
    }

    /// The most gaps that are listed; further ones are counted in `gapsOmitted`.
    public static let gapLimit = 1000

    /// Lists a gap.
    mutating func note(_ gap: RecordingGap) {
        guard gaps.count < Self.gapLimit else {
            gapsOmitted += 1
            return
        }
        gaps.append(
            GapNote(
                uptime: Double(gap.time.nanoseconds) / 1e9, samples: gap.samples, reason: "\(gap.reason)",
                position: gap.position))
    }
}
