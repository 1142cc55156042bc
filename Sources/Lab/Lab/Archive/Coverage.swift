// SPDX-License-Identifier: Apache-2.0
import Base

/// How much of the time since a participant enrolled is recorded, channel by channel: stored time over wall
/// time (docs/lab.md, Coverage). `Archive.coverage` gives it to pages, tables and `/api/devices`. Pure.
///
/// The stored time of a recording is the part of its length that holds samples. What else there was
/// of wall time is named by its reason: what the recordings say of themselves, `notRecorded`
/// between them, and `notArrived` after the last that is here.
struct Coverage: Sendable, Hashable {
    /// One thing that is measured; times in milliseconds.
    struct Channel: Sendable, Hashable {
        let kind: String
        /// When the recordings that are here begin and end.
        let first: Instant?
        let last: Instant?
        var stored: Int64 = 0
        /// By reason, as recordings say.
        var lost: [String: Int64] = [:]
        /// By reason, all that is not stored: with `stored` it makes up `wall`.
        fileprivate(set) var missing: [String: Int64] = [:]
    }

    let channels: [Channel]
    /// Wall time, in milliseconds.
    let wall: Int64
    let since: Instant
    /// The date of the enrolment is unknown: time counts since the first recording.
    let isSinceRecording: Bool
    var study: String?

    /// Nil without channels, and where the time does not begin before `now`.
    init?(_ channels: [Channel], since enrolled: Instant?, at now: Instant) {
        guard let since = enrolled ?? channels.compactMap(\.first).min(), since < now, !channels.isEmpty else {
            return nil
        }
        (self.since, isSinceRecording) = (since, enrolled == nil)
        let wall = now.milliseconds - since.milliseconds
        self.wall = wall
        self.channels = channels.map { channel in
            var channel = channel
            // Where a clock was set, recordings may overlap.
            channel.stored = min(channel.stored, wall)
            let last = min(max(channel.last ?? since, since), now)
            channel.missing = channel.lost
            channel.missing["notArrived"] = now.milliseconds - last.milliseconds
            let explained = channel.stored + channel.missing.values.reduce(0, +)
            channel.missing["notRecorded"] = max(0, wall - explained)
            channel.missing = channel.missing.filter { $0.value > 0 }
            return channel
        }
    }

    /// The channel of which least is stored.
    var least: Channel? { channels.min { $0.stored < $1.stored } }

    /// Less than nine tenths of what could have arrived is stored.
    func isLow(_ channel: Channel) -> Bool {
        let possible = wall - (channel.missing["notArrived"] ?? 0)
        return Double(channel.stored) < 0.9 * Double(possible)
    }

    /// `notRecorded 36 %, ringFull 1 %`: what is at least half a per cent, the greatest first.
    func reasons(_ channel: Channel) -> String {
        channel.missing.filter { $0.value * 200 >= wall }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\(Self.words[$0.key] ?? $0.key) \(Percent.text($0.value, of: wall))" }.joined(separator: ", ")
    }

    private static let words = ["notRecorded": "not recorded", "notArrived": "not here yet"]

    /// For programs; times in seconds.
    var json: JSONValue {
        .members([
            "since": .string(since.rfc3339()), "sinceFirstRecording": .boolean(isSinceRecording),
            "wallSeconds": .int(wall / 1000),
            "channels": .object(
                channels.map { channel in
                    .init(
                        name: channel.kind,
                        value: .members([
                            "storedSeconds": .int(channel.stored / 1000),
                            "missingSeconds": .object(
                                channel.missing.sorted { $0.key < $1.key }.map {
                                    .init(name: $0.key, value: .int($0.value / 1000))
                                }),
                        ]))
                }),
        ])
    }
}
