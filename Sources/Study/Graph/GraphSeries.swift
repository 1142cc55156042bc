// SPDX-License-Identifier: Apache-2.0
import Base

/// The points of one graph: the numeric answers to one question over time, as `studyd history` shows them
/// (`ParticipantFeedback`).
package struct GraphSeries: Sendable, Hashable {
    package struct Point: Sendable, Hashable {
        /// As the participant's wall clock showed it.
        package let time: LocalDateTime
        fileprivate let zoned: ZonedText
        /// In the question's own unit; finite.
        package let value: Double
        package init(at moment: Instant, in zone: Zone, value: Double) {
            (time, zoned, self.value) = (zone.local(moment), ZonedText(moment, in: zone), value)
        }
    }

    package let description: GraphDescription
    /// Oldest first; at most `maximumPoints` of them, the latest.
    package let points: [Point]
    /// The span the axis covers: it contains 0 and is never empty.
    package let range: ClosedRange<Double>

    /// A graph of these points, given oldest first.
    package init(_ description: GraphDescription, points: [Point]) {
        self.description = description
        self.points = description.maximumPoints > 0 ? points.suffix(description.maximumPoints) : points
        let values = self.points.map(\.value)
        let low = min(0, values.min() ?? 0)
        let high = max(0, values.max() ?? 0)
        range = low...(high > low ? high : low + 1)
    }

    /// A graph of what was submitted; runs in which the question has no numeric
    /// answer give no point.
    package init(_ description: GraphDescription, submissions: [Submission], zone: Zone) {
        let points: [Point] = submissions.sorted { $0.submitted < $1.submitted }.compactMap { submission in
            submission.answers[description.question].flatMap(Self.value).map {
                Point(at: submission.submitted, in: zone, value: $0)
            }
        }
        self.init(description, points: points)
    }

    /// For `studyd history --json`.
    package var json: JSONText {
        let points = points.map {
            JSONText.object([.init("time", .string($0.zoned.description)), .init("value", .number($0.value))])
        }
        return .object([.init("title", .string(description.title)), .init("points", .array(points))])
    }

    /// The number that an answer is drawn as: a number, or words that spell one, as "1" to "5" do
    /// among the options of a choice. nil = no point. schema's app hands the words to its charts,
    /// which take them for the numbers they spell.
    package static func value(of answer: AnswerValue) -> Double? {
        let words: String
        switch answer {
        case .number(let value): return value.isFinite ? value : nil
        case .choices(let options) where options.count == 1: words = options[0]
        case .text(let text): words = text
        default: return nil
        }
        let spelled = words.split(whereSeparator: \.isWhitespace)
        guard spelled.count == 1, let first = spelled[0].first, first.isNumber || "+-.".contains(first) else {
            return nil
        }
        return Double(spelled[0]).flatMap { $0.isFinite ? $0 : nil }
    }

    /// Where a value lies in the range, 0...1. Computed in halves: a text may spell numbers with a
    /// span that overflows to infinity.
    func share(_ value: Double) -> Double {
        let (low, high) = (range.lowerBound / 2, range.upperBound / 2)
        let share = (value / 2 - low) / (high - low)
        return share.isFinite ? max(0, min(1, share)) : 0
    }
}

extension GraphSeries.Point {
    /// `08.05. 23:16`.
    var label: String {
        let day = time.date.components
        return "\(day.day.padded(2)).\(day.month.padded(2)). \(time.time.hour.padded(2)):\(time.time.minute.padded(2))"
    }
}
