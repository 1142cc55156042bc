// SPDX-License-Identifier: Apache-2.0
import Base

/// How much of the time since the enrolment is recorded, channel by channel: stored time over wall time
/// (docs/lab.md, Coverage). `StatusReader` makes it for `studyd status`; the lab's page computes the same from
/// what has arrived there. Pure.
///
/// The stored time of a recording is the part of its length that holds samples. The file that is
/// being written counts up to its last sample.
struct Coverage: Sendable, Hashable {
    struct Channel: Sendable, Hashable {
        let kind: String
        fileprivate(set) var stored = Duration.zero
        /// By reason, all that is not stored; `notRecorded` where there is no recording.
        fileprivate(set) var missing: [String: Duration] = [:]

        /// Adds a file whose first and last sample are `length` apart. Lost samples for which `length` has no
        /// room at `rate` came after the last one, where a gap ended the file: that time is not recorded.
        /// Without a `rate` all are taken to be inside.
        fileprivate mutating func add(_ length: Duration, stored count: Int64, lost: [String: Int64], rate: Double?) {
            let lostCount = Double(lost.values.reduce(0, +))
            let inside = rate.map { max(0, min(lostCount, length.seconds * $0 - Double(count))) } ?? lostCount
            let whole = Double(count) + inside
            guard length > .zero else { return }
            stored += whole > 0 ? length * (Double(count) / whole) : length
            for (reason, count) in lost where inside > 0 {
                missing[reason, default: .zero] += length * (Double(count) / whole * (inside / lostCount))
            }
        }
    }

    /// The time since the enrolment.
    let wall: Duration
    private(set) var channels: [Channel] = []

    /// What comes when a button is pressed has no time that it should cover.
    private static let events = "buttons"

    /// Of the recordings of that enrolment and the measures as they run in this boot; nil before
    /// any time has passed.
    init?(
        since enrolled: Instant, at now: Instant, _ recordings: [RecordingView], of enrolment: String,
        _ states: [MeasureState]
    ) {
        wall = now - enrolled
        guard wall > .zero else { return nil }
        var found: [String: Channel] = [:]
        for view in recordings where view.enrolment == enrolment && view.recording.isExtra != true {
            let record = view.recording
            guard record.measure != Self.events, let from = record.from, let to = record.to else { continue }
            var channel = found[record.measure] ?? Channel(kind: record.measure)
            channel.add(to - from, stored: record.stored, lost: record.lost, rate: record.rate)
            found[record.measure] = channel
        }
        for state in states where state.kind.rawValue != Self.events {
            var channel = found[state.kind.rawValue] ?? Channel(kind: state.kind.rawValue)
            if let file = state.openFile {
                channel.add(
                    file.until - max(state.since, file.begun), stored: Int64(file.stored),
                    lost: ["lost": Int64(max(0, file.lost - file.lostAtEnd))], rate: nil)
            }
            found[channel.kind] = channel
        }
        channels = found.values.sorted { $0.kind < $1.kind }.map { channel in
            var channel = channel
            channel.stored = min(channel.stored, wall)
            let accounted = channel.missing.values.reduce(channel.stored, +)
            channel.missing["notRecorded"] = max(.zero, wall - accounted)
            channel.missing = channel.missing.filter { $0.value > .zero }
            return channel
        }
    }

    var lines: [String] {
        channels.map { channel in
            let reasons = channel.missing.filter { $0.value / wall >= 0.005 }.sorted {
                ($1.value, $0.key) < ($0.value, $1.key)
            }
            .map { "\($0.key == "notRecorded" ? "not recorded" : $0.key) \(Self.percent($0.value, of: wall))" }
            let why = reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))"
            return
                "coverage    \(channel.kind): \(Self.percent(channel.stored, of: wall)) of the time since enrolment\(why)"
        }
    }

    /// Rounded, but nothing that is not whole reads as all of it, and nothing that
    /// is there as none.
    static func percent(_ part: Duration, of whole: Duration) -> String {
        let share = part / whole * 100
        if share >= 99.5, part < whole { return "> 99 %" }
        if share < 0.5, part > .zero { return "< 1 %" }
        return "\(Int(share.rounded())) %"
    }

    /// For programs; times in seconds.
    var json: JSONText {
        .object([
            "wallSeconds": .integer(wall.components.seconds),
            "channels": .object(channels.map { JSONText.Member($0.kind, Self.json($0)) }),
        ])
    }

    private static func json(_ channel: Channel) -> JSONText {
        let missing = channel.missing.sorted { $0.key < $1.key }.map {
            JSONText.Member($0.key, .integer($0.value.components.seconds))
        }
        return .object([
            "storedSeconds": .integer(channel.stored.components.seconds), "missingSeconds": .object(missing),
        ])
    }
}
