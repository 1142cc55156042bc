// SPDX-License-Identifier: Apache-2.0
import Times

/// What the description of one recording says of when it was made, and how much of it is there.
struct RecordedSpan: Sendable, Hashable {
    /// What was measured.
    let kind: String
    let start: Instant
    let end: Instant
    /// Seconds east of UTC of the device's wall clock.
    let offset: Int
    let stored: Int64
    let lost: Int64
    /// The name of the file that it describes.
    let file: String

    /// Nil for a text that is no description, or one whose clock is not known.
    init?(_ text: [UInt8]) {
        guard case .object(let members)? = try? JSONReader.value(String(decoding: text, as: UTF8.self)) else {
            return nil
        }
        func value(_ name: String) -> JSONValue? { members.first { $0.name == name }?.value }
        func word(_ name: String) -> String? { if case .string(let text)? = value(name) { text } else { nil } }
        guard let kind = word("kind"), let start = word("startDate").flatMap({ try? Instant(rfc3339: $0) }),
            let end = word("endDate").flatMap({ try? Instant(rfc3339: $0) }), start <= end,
            let stored = value("samplesStored")?.double, let file = word("relativePath")
        else { return nil }
        var lost = 0.0
        if case .object(let reasons)? = value("samplesLost") { lost = reasons.compactMap(\.value.double).reduce(0, +) }
        // Bounded so that it can be shared out over the seconds of a day: what a device sends may be anything.
        guard (0..<1e12).contains(stored), (0..<1e12).contains(lost) else { return nil }
        self.kind = kind
        self.start = start
        self.end = end
        self.stored = Int64(stored)
        self.lost = Int64(lost)
        self.file = file
        offset = word("offset").flatMap(Self.seconds) ?? 0
    }

    /// `+01:00` in seconds.
    private static func seconds(_ text: String) -> Int? {
        guard text != "Z" else { return 0 }
        let parts = text.dropFirst().split(separator: ":").compactMap { Int($0) }
        guard parts.count == 2, let sign = text.first, "+-".contains(sign), (0...18).contains(parts[0]),
            (0..<60).contains(parts[1])
        else { return nil }
        return (sign == "-" ? -1 : 1) * (parts[0] * 3600 + parts[1] * 60)
    }
}
