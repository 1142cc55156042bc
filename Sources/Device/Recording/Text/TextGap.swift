// SPDX-License-Identifier: Apache-2.0

/// A line of one of our text files that says that something is missing: `#gap ...` of CSV or `$PSTDY,G,...` of
/// NMEA. Checks, recovery (`SegmentSurvey`) and `TableFileGaps` read it; `CSVHeader` and `NMEAWriter` write it.
struct TextGap: Sendable, Hashable {
    /// CLOCK_MONOTONIC of the last sample before it, in seconds; nil in NMEA and in files before version 1 of
    /// the schema: the reader then takes the last sample it has read.
    var start: Double?
    /// CLOCK_MONOTONIC of the first sample after it, in seconds.
    var end: Double
    /// How much is missing: samples in CSV, bytes in NMEA.
    var count: Int
    /// The name of a `LossReason`: `ringFull`.
    var reason: String

    /// nil for any other line, and for one that was damaged.
    init?(_ line: ArraySlice<UInt8>) {
        if line.starts(with: "#gap ".utf8) {
            self.init(pairs: String(decoding: line.dropFirst(5), as: UTF8.self))
        } else if line.starts(with: "$PSTDY,G,".utf8), let body = NMEAFraming.body(line) {
            self.init(
                fields: String(decoding: body, as: UTF8.self).split(separator: ",", omittingEmptySubsequences: false))
        } else {
            return nil
        }
    }

    private init?(pairs text: String) {
        var values: [Substring: Substring] = [:]
        for pair in text.split(whereSeparator: \.isWhitespace) {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { values[parts[0]] = parts[1] }
        }
        guard let end = (values["end"] ?? values["uptime"]).flatMap(Self.seconds),
            let count = values["samples"].flatMap({ Int($0) }),
            (0..<1 << 48).contains(count), let reason = values["reason"]
        else { return nil }
        (self.end, self.count, self.reason) = (end, count, String(reason))
        start = values["start"].flatMap(Self.seconds)
    }

    private init?(fields: [Substring]) {
        guard fields.count == 5, let end = Self.seconds(fields[2]), let count = Int(fields[3]),
            (0..<1 << 48).contains(count)
        else { return nil }
        (self.end, self.count, self.reason) = (end, count, String(fields[4]))
    }

    private static func seconds(_ text: Substring) -> Double? {
        UptimeText.time(text).map { Double($0.nanoseconds) / 1e9 }
    }
}
