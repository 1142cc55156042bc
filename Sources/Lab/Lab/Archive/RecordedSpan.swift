// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// What the description of one recording says of when it was made, and how much of it is there: a row of
/// `SpanTable`, drawn by `Actogram` and `DayPage`.
struct RecordedSpan: Sendable, Hashable {
    let kind: String
    let start: Instant
    let end: Instant
    /// Seconds east of UTC of the device's wall clock.
    let offset: Int
    /// In the description's `countedUnit`; most are samples.
    let stored: Int64
    /// Missing between its first and its last sample.
    var lost: Int64 { reasons.values.reduce(0, +) }
    /// `lost`, by reason.
    let reasons: [String: Int64]
    /// Recorded beside what is measured all the time: for a task, a spoken answer, or features.
    let isExtra: Bool
    /// It holds what a person does, such as presses, so that what is missing cannot be counted.
    let isOfEvents: Bool
    /// The name of the file that it describes.
    let file: String
    /// The number of that file, once it is here whole.
    var upload: Int64?
}

extension RecordedSpan {
    /// Nil for a text that is no description, or one with an unknown clock.
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
        guard let reasons = Self.losses(value("samplesLost"), value("gaps")?.array ?? [], stored: stored) else {
            return nil
        }
        let lost = Double(reasons.values.reduce(0, +))
        // Bounded so that it can be shared out over the seconds of a day: what a device sends
        // may be anything.
        guard (0..<1e12).contains(stored), (0..<1e12).contains(lost) else { return nil }
        self.reasons = reasons
        if case .object? = value("task") {
            isExtra = true
        } else {
            isExtra = word("identifier")?.hasPrefix("voice:") == true || kind == "features"
        }
        isOfEvents = word("countedUnit") == CountedUnit.events.rawValue
        self.kind = kind
        self.start = start
        self.end = end
        self.stored = Int64(stored)
        self.file = file
        offset = word("offset").flatMap(Self.seconds) ?? 0
    }

    /// By reason; nil for numbers that are none.
    private static func losses(_ lost: JSONValue?, _ gaps: [JSONValue], stored: Double) -> [String: Int64]? {
        var reasons: [String: Int64] = [:]
        if case .object(let members)? = lost {
            for member in members.prefix(64) {
                guard let count = member.value.double, (0..<1e12).contains(count) else { return nil }
                reasons[String(member.name.prefix(40)), default: 0] += Int64(count)
            }
        }
        // Losses after the last sample, by a power cut or a gap that ended the file, lie outside start...end.
        reasons["\(LossReason.powerCut)"] = nil
        for gap in gaps.prefix(1000) {
            guard let position = gap["position"]?.double, position >= stored, let reason = gap["reason"]?.string,
                let samples = gap["samples"]?.double, samples >= 0, let count = reasons[String(reason.prefix(40))]
            else { continue }
            let rest = count - Int64(min(samples, 1e12))
            reasons[String(reason.prefix(40))] = rest > 0 ? rest : nil
        }
        return reasons
    }

    /// Start and end in seconds since midnight of 1 January 1970, both as the device's wall clock shows them.
    var localSeconds: (start: Int64, end: Int64) {
        (start.seconds + Int64(offset), end.seconds + Int64(offset))
    }

    /// The part of its length that holds samples, 0...1; 1 where nothing was due.
    var share: Double { stored + lost == 0 ? 1 : Double(stored) / Double(stored + lost) }

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
