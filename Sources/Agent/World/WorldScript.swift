// SPDX-License-Identifier: Apache-2.0

/// What the wearer of a simulated board does.
package enum WorldActivity: String, Sendable, Hashable, CaseIterable {
    /// Walks at 1.8 steps per second, each time in another direction.
    case walk
    /// Sits, breathing and fidgeting a little.
    case rest
    /// Lies on the side, asleep.
    case lie
    /// The board lies on a table: nothing moves at all.
    case still
    /// The board is turned over once about its x axis.
    case turn
    case talk
    /// The board lies still beside a tone of 1 kHz.
    case tone
    /// Moves as in a recording.
    case replay
}

/// One stretch of the timeline of a `World`.
package struct WorldSegment: Sendable, Hashable {
    package let activity: WorldActivity
    /// Above 0.
    package let duration: Duration

    package init(_ activity: WorldActivity, _ duration: Duration) {
        (self.activity, self.duration) = (activity, duration)
    }
}

/// A world's timeline as text, from a board file's `[world]`: `walk 60s; rest 30s; still 2m; replay`.
///
/// An activity and a time in `s`, `m` or `h`, separated by `;` or line ends; `#` begins a comment.
/// `replay` without a time lasts as long as the recording.
package struct WorldScript: Sendable, Hashable {
    static let most = 10_000
    /// In order; at least one.
    package let segments: [WorldSegment]

    /// Reads a script; `recording` is the length of what `replay` plays, nil where there is
    /// nothing to play.
    package init(_ text: String, recording: Duration? = nil) throws(WorldScriptError) {
        var segments: [WorldSegment] = []
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            for statement in line.prefix(while: { $0 != "#" }).split(separator: ";") {
                let words = statement.split { $0 == " " || $0 == "\t" }.map(String.init)
                if words.isEmpty { continue }
                do throws(WorldScriptError.Problem) {
                    segments.append(try Self.segment(words, recording: recording))
                } catch {
                    throw WorldScriptError(line: number + 1, statement: words.joined(separator: " "), problem: error)
                }
            }
        }
        guard (1...Self.most).contains(segments.count) else {
            throw WorldScriptError(line: 1, statement: "", problem: segments.isEmpty ? .empty : .tooLong)
        }
        self.segments = segments
    }

    private static func segment(
        _ words: [String], recording: Duration?
    ) throws(WorldScriptError.Problem) -> WorldSegment {
        guard let activity = WorldActivity(rawValue: words[0]) else { throw .unknownActivity }
        guard words.count <= 2 else { throw .tooManyWords }
        if activity == .replay && recording == nil { throw .noRecording }
        if words.count == 2 { return WorldSegment(activity, try duration(words[1])) }
        guard activity == .replay, let recording else { throw .noDuration }
        return WorldSegment(activity, recording)
    }

    private static func duration(_ text: String) throws(WorldScriptError.Problem) -> Duration {
        let factors: [Character: Double] = ["s": 1, "m": 60, "h": 3600]
        guard let unit = text.last, let factor = factors[unit], let number = Double(text.dropLast()) else {
            throw .badDuration
        }
        let seconds = number * factor
        guard seconds >= 0.001, seconds <= 31 * 86_400 else { throw .badDuration }
        return .nanoseconds(Int64(seconds * 1e9))
    }
}

/// A script that cannot be read: where, what is there, what could be.
package struct WorldScriptError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Problem: Error, Sendable, Hashable {
        /// No statement at all, or too many of them.
        case empty, tooLong
        /// The first word is no activity; more than two words.
        case unknownActivity, tooManyWords
        /// The time is missing, or is not one.
        case noDuration, badDuration
        /// `replay`, but there is nothing to play.
        case noRecording
    }
    /// Counted from 1.
    package let line: Int
    let statement: String
    package let problem: Problem

    package var description: String { "world script, line \(line), \"\(statement)\": \(remedy)" }

    private var remedy: String {
        let activities = WorldActivity.allCases.map(\.rawValue).joined(separator: ", ")
        return switch problem {
        case .empty: "empty; use e.g. \"walk 60s; rest 30s\""
        case .tooLong: "more than \(WorldScript.most) statements; remove some"
        case .unknownActivity: "unknown activity; use \(activities)"
        case .tooManyWords: "expected an activity and a time; separate statements with \";\""
        case .noDuration: "the duration is missing; use e.g. \"60s\", \"2m\" or \"1h\""
        case .badDuration: "a time is a number and a unit, e.g. \"60s\", \"2m\" or \"1h\", from 0.001s to 31 days"
        case .noRecording: "there is no recording to replay; add one, or remove the statement"
        }
    }
}
