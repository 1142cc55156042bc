// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// What a FLAC file of ours says about itself, as Vorbis comments (RFC 9639, section 8.6): when it
/// began, which device made it, which study it belongs to.
///
/// `DATE` always has the same length, so that it can be put right in its place when the
/// clock becomes known.
enum FLACTags {
    /// `2026-11-21T10:15:00.123456+01:00`.
    private static let dateLength = 32
    private static let unknown = "unknown".padded(to: dateLength)
    /// In bytes; the comments come before all sound.
    private static let reach = 16_384

    static func tags(_ context: SegmentContext) -> [(name: String, value: String)] {
        let (source, measure, origin) = (context.source, context.measure, context.origin)
        var tags = [
            ("DATE", date(context.anchor, context.start, context.offset)), ("UPTIME", UptimeText.text(context.start)),
        ]
        tags += [("DEVICE", "\(source.device) at \(source.location)"), ("STUDY", origin.study)]
        if let participant = origin.participant { tags.append(("PARTICIPANT", participant)) }
        tags += [("MEASURE", measure.identifier), ("RECORDING", "\(context.number)")]
        if let place = measure.bodyLocation { tags.append(("BODY_LOCATION", place)) }
        if let calibration = measure.calibration { tags.append(("CALIBRATION_DB", Decimals.text(calibration, 2))) }
        return tags
    }

    /// Puts the date right in a file that was begun before the clock was known. Doing it
    /// twice does no harm.
    static func rewriteDate(of file: File, anchor: ClockAnchor, zone: Zone) throws(FileError) {
        let bytes = try file.read(reach, at: 0)
        guard let place = find("DATE=", in: bytes), let mark = find("UPTIME=", in: bytes),
            place + dateLength <= bytes.count
        else { return }
        let digits = bytes[mark...].prefix { (48...57).contains($0) || $0 == UInt8(ascii: ".") }
        guard let start = UptimeText.time(Substring(decoding: digits, as: UTF8.self)) else { return }
        let offset = zone.period(at: anchor.instant(at: start)).offset
        try file.write(Array(date(anchor, start, offset).utf8), at: place)
    }

    private static func date(_ anchor: ClockAnchor?, _ start: MonotonicTime, _ offset: Int) -> String {
        guard let anchor else { return unknown }
        let text = anchor.instant(at: start).rfc3339(offset: offset)
        return (text.hasSuffix("Z") ? String(text.dropLast()) + "+00:00" : text).padded(to: dateLength)
    }

    /// Where the value of a comment begins.
    private static func find(_ name: String, in bytes: [UInt8]) -> Int? {
        bytes.firstRange(of: name.utf8)?.upperBound
    }
}

extension String {
    /// With blanks after it; never longer.
    fileprivate func padded(to length: Int) -> String {
        String((self + String(repeating: " ", count: max(0, length - utf8.count))).prefix(length))
    }
}
