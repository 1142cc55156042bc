// SPDX-License-Identifier: Apache-2.0
import Times

/// How the times of a CWA file are written: as wall time with its offset where the file says it.
struct ExportClock {
    /// `Z` or `+01:00`; empty for wall time without a zone; nil where only uptimes are known.
    let zone: String?
    private let uptimeOrigin: Instant?
    private var second = Int64.min
    private var prefix: [UInt8] = []

    /// The clock of a file, whose first sample is at `start`.
    init(_ header: CWAHeader?, _ description: RecordingDescription?, start: Instant) {
        if header?["clock"] == "uptime" {
            zone = nil
            uptimeOrigin = CWAWriter.uptimeEpoch
        } else {
            let offset = header?["offset"] ?? description?.offset
            zone = offset.flatMap { TimeText.instant("2000-01-01T00:00:00\($0)") == nil ? nil : $0 } ?? ""
            uptimeOrigin = description.map { start - .nanoseconds(Int64($0.startUptime * 1e9)) }
        }
    }

    /// Whether times since booting are known.
    var hasUptime: Bool { uptimeOrigin != nil }

    /// CLOCK_MONOTONIC in seconds.
    func uptime(_ time: Instant) -> Double? { uptimeOrigin.map { (time - $0).seconds } }

    /// `2026-11-21T10:15:00.123456+01:00`, or nothing while the clock is unknown.
    mutating func write(_ time: Instant, to output: ExportOutput) {
        guard let zone else { return }
        if time.seconds != second {
            second = time.seconds
            prefix = Array(LocalDateTime(Instant(seconds: second), offset: 0).text(fractionDigits: 0).utf8)
        }
        output.bytes(prefix)
        let microseconds = (time.nanoseconds - second * 1_000_000_000) / 1000
        output.text(".")
        output.whole(UInt64(max(0, microseconds)), width: 6)
        output.text(zone)
    }
}
