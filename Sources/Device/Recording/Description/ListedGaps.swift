// SPDX-License-Identifier: Apache-2.0
import Base

extension RecordingDescription {
    /// The most gaps that are listed; further ones are counted in `gapsOmitted`.
    package static let gapLimit = 1000

    mutating func record(_ gap: RecordingGap) {
        guard gaps.count < Self.gapLimit else {
            gapsOmitted += 1
            return
        }
        gaps.append(
            GapNote(
                startUptime: Double(gap.start.nanoseconds) / 1e9, endUptime: Double(gap.time.nanoseconds) / 1e9,
                samples: gap.samples, reason: "\(gap.reason)", position: gap.position))
    }
}
