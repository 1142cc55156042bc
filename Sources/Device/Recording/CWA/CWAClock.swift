// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// What a CWA file says about its clock, for `CWAWriter`, and the rewriting of a file that was begun before the
/// clock was known, for `CWAFormat`.
enum CWAClock {
    static func annotations(isKnown: Bool, zone: String, offset: Int) -> [(name: String, value: String)] {
        isKnown
            ? [("clock", "local"), ("zone", zone), ("offset", Zone.text(offset: offset))]
            : [("clock", "uptime")]
    }

    /// Writes the file `source` to `target`, with wall times in place of uptimes. A file that has
    /// wall times already is copied as it is, so doing it twice does no harm.
    static func rewrite(
        _ source: File, to target: File, anchor: ClockAnchor, zone: Zone
    ) throws(FileError) {
        guard var header = CWAHeader(try source.read(CWAHeader.size, at: 0)) else {
            throw .format(path: source.path, problem: "the CWA header is damaged")
        }
        let isUptime = header["clock"] == "uptime"
        var offset: Int?
        if isUptime {
            offset = header.start.flatMap { local in moment(local, anchor) }.map { zone.period(at: $0).offset } ?? 0
            header.annotations.removeAll { $0.name == "clock" }
            header.annotations =
                annotations(isKnown: true, zone: zone.identifier, offset: offset ?? 0) + header.annotations
            header.start = header.start.flatMap { shifted($0, anchor, offset ?? 0) }
        }
        try target.write(header.bytes, at: 0)
        var place = CWAHeader.size
        while true {
            let bytes = try source.read(128 * CWABlock.size, at: place)
            guard !bytes.isEmpty else { return }
            try target.write(offset.map { rewritten(bytes, anchor, $0) } ?? bytes, at: place)
            place += bytes.count
        }
    }

    /// Damaged blocks stay as they are; samples are never touched.
    private static func rewritten(_ bytes: [UInt8], _ anchor: ClockAnchor, _ offset: Int) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: CWABlock.size).flatMap { start -> [UInt8] in
            var raw = Array(bytes[start..<min(start + CWABlock.size, bytes.count)])
            guard let block = CWABlock(raw), let time = shifted(block.time, anchor, offset) else { return raw }
            CWABlock.setTime(time, timeIndex: block.timeIndex, rate: block.rate, in: &raw)
            CWABlock.setSum(&raw)
            return raw
        }
    }

    /// The moment of a stamp that counts uptime from `RecordingTimes.uptimeEpoch`.
    private static func moment(_ stamp: CWATimestamp, _ anchor: ClockAnchor) -> Instant? {
        stamp.local.map { anchor.instant(at: .zero + ($0.instant(offset: 0) - RecordingTimes.uptimeEpoch)) }
    }

    private static func shifted(_ stamp: CWATimestamp, _ anchor: ClockAnchor, _ offset: Int) -> CWATimestamp? {
        moment(stamp, anchor).map { CWATimestamp(LocalDateTime($0, offset: offset)) }
    }
}
