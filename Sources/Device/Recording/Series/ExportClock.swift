// SPDX-License-Identifier: Apache-2.0
import Base

/// How exports and plots write the times of a CWA file: as wall time with its offset where the file says it.
package struct ExportClock {
    /// `Z` or `+01:00`; empty for wall time without a zone; nil where only uptimes are known.
    package let zone: String?
    /// What the wall clock of the file showed at uptime 0.
    private var uptimeOrigin: Instant?
    private let zoneBytes: [UInt8]
    /// Nanoseconds of the second that `prefix` is the text of.
    private var second = Int64.max
    private var prefix: [UInt8] = []

    package init(_ header: CWAHeader?, _ description: RecordingDescription?, start: Instant) {
        if header?["clock"] == "uptime" {
            zone = nil
            uptimeOrigin = RecordingTimes.uptimeEpoch
        } else {
            let offset = header?["offset"] ?? description?.offset
            zone = offset.flatMap { Instant.parsed("2000-01-01T00:00:00\($0)") == nil ? nil : $0 } ?? ""
            uptimeOrigin = description.map { start - .nanoseconds(Int64($0.startUptime * 1e9)) }
        }
        zoneBytes = Array((zone ?? "").utf8)
    }

    /// Goes on to another file of the same boot, of which the first sample is at `start`: its wall times
    /// may be by another anchor.
    mutating func follow(_ description: RecordingDescription, start: Instant) {
        guard zone != nil else { return }
        uptimeOrigin = start - .nanoseconds(Int64(description.startUptime * 1e9))
    }

    package var hasUptime: Bool { uptimeOrigin != nil }

    /// CLOCK_MONOTONIC in seconds.
    package func uptime(_ time: Instant) -> Double? { uptimeOrigin.map { (time - $0).seconds } }

    /// `2026-11-21T10:15:00.123456+01:00,81.250000`: the time, empty while the clock is unknown,
    /// and the uptime where it is known. `nanoseconds` are of the file's wall time, as if it were UTC.
    package mutating func write(_ nanoseconds: Int64, to row: inout RowBytes) {
        if zone != nil {
            // The text of a second is made once for all its samples.
            if nanoseconds < second || nanoseconds - second >= 1_000_000_000 { begin(nanoseconds) }
            row.bytes(prefix)
            row.six(UInt64(nanoseconds - second) / 1000)
            row.bytes(zoneBytes)
        }
        if let uptimeOrigin {
            row.byte(UInt8(ascii: ","))
            let uptime = nanoseconds &- uptimeOrigin.nanoseconds
            row.millionths((uptime + (uptime < 0 ? -500 : 500)) / 1000)
        }
    }

    private mutating func begin(_ nanoseconds: Int64) {
        let seconds = Instant(nanoseconds: nanoseconds).seconds
        second = seconds * 1_000_000_000
        prefix = Array((LocalDateTime(Instant(seconds: seconds), offset: 0).text(fractionDigits: 0) + ".").utf8)
    }
}
