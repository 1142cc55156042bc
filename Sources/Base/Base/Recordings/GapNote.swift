// SPDX-License-Identifier: Apache-2.0

extension RecordingDescription {
    /// A gap between two samples of the file. The recorder adds it to the file's description;
    /// `DescriptionCheck` and the lab read it.
    package struct GapNote: Sendable, Hashable, Decodable {
        /// CLOCK_MONOTONIC of the last sample before it, in seconds.
        package var startUptime: Double
        /// CLOCK_MONOTONIC of the first sample after it, in seconds.
        package var endUptime: Double
        /// RFC 3339 of the last sample before it; absent while the clock is unknown.
        package var startDate: String?
        /// RFC 3339 of the first sample after it; absent while the clock is unknown.
        package var endDate: String?
        /// How many samples are missing, at the file's rate.
        package var samples: Int
        /// Why (`LossReason`); `unknown` where only the file itself tells of it, after a power cut.
        package var reason: String
        /// How many samples the file has before the gap.
        package var position: Int

        package init(startUptime: Double, endUptime: Double, samples: Int, reason: String, position: Int) {
            self.startUptime = startUptime
            self.endUptime = endUptime
            self.samples = samples
            self.reason = reason
            self.position = position
        }
    }
}

extension RecordingDescription.GapNote {
    private enum Key: String, CodingKey {
        case startUptime, endUptime, startDate, endDate, uptime, samples, reason, position
    }

    /// Descriptions before version 1 of the schema name the end alone, as `uptime`.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        endUptime =
            try values.decodeIfPresent(Double.self, forKey: .endUptime) ?? values.decode(Double.self, forKey: .uptime)
        startUptime = try values.decodeIfPresent(Double.self, forKey: .startUptime) ?? endUptime
        startDate = try values.decodeIfPresent(String.self, forKey: .startDate)
        endDate = try values.decodeIfPresent(String.self, forKey: .endDate)
        samples = try values.decode(Int.self, forKey: .samples)
        reason = try values.decode(String.self, forKey: .reason)
        position = try values.decode(Int.self, forKey: .position)
    }
}
