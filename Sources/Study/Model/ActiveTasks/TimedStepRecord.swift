// SPDX-License-Identifier: Apache-2.0
import Base

/// How a timed step went, press by press, made by `TimedStep`. The event log keeps it by the names of its
/// properties (`PerformanceRecord`).
package struct TimedStepRecord: PerformanceRecord {
    /// Which of the two buttons.
    package enum Side: String, LoggedRecord { case left, right }
    package struct Tap: LoggedRecord {
        /// Since the beginning of the step.
        package let at: Duration
        package let side: Side
        /// From press to release; up to the end of the step where it was not let go.
        package var held: Duration

        package init(at: Duration, side: Side, held: Duration) { (self.at, self.side, self.held) = (at, side, held) }
    }
    /// CLOCK_MONOTONIC when the step began.
    package let uptime: Duration
    /// How long it ran, without pauses.
    package let measured: Duration
    /// How often it was paused.
    package let pauses: Int
    /// It ran to its end. Always true, since a step that is left before its end gives no answer.
    package let isComplete: Bool
    /// In time order; empty for a step without buttons.
    package let taps: [Tap]
    /// As Sage's apps count (`MCTTappingStepViewController.receivedTouch`,
    /// `TappingStepViewModel.addTappingSample`, `TappingState.addTappingSample`):
    /// the taps of another button than the one before. Of one button alone it is 1, however
    /// often that is tapped.
    package var tapCount: Int {
        zip(taps, taps.dropFirst()).reduce(taps.isEmpty ? 0 : 1) { $0 + ($1.0.side == $1.1.side ? 0 : 1) }
    }

    package init(uptime: Duration, measured: Duration, pauses: Int, isComplete: Bool, taps: [Tap]) {
        self.uptime = uptime
        self.measured = measured
        self.pauses = pauses
        self.isComplete = isComplete
        self.taps = taps
    }

    package static var kind: String { "timedStep" }

    /// The count of taps in turn first.
    package var figures: [PerformanceFigure] {
        [
            PerformanceFigure("tapCount", .whole(Int64(tapCount))),
            PerformanceFigure("duration", .number(measured.inSeconds)),
            PerformanceFigure("isComplete", .truth(isComplete)),
        ]
    }

    package var mainFigure: String { taps.isEmpty ? "duration" : "tapCount" }

    /// Times in seconds; the names of taps are those of SageResearch's tapping result.
    package var fields: [JSONText.Member] {
        let samples = taps.map { tap in
            JSONText.object([
                .init("timestamp", .seconds(tap.at)), .init("uptime", .seconds(uptime + tap.at)),
                .init("buttonIdentifier", .string(tap.side.rawValue)), .init("duration", .seconds(tap.held)),
            ])
        }
        return [
            .init("startUptime", .seconds(uptime)), .init("duration", .seconds(measured)),
            .init("pauses", .integer(Int64(pauses))), .init("isComplete", .boolean(isComplete)),
            .init("tapCount", .integer(Int64(tapCount))), .init("samples", .array(samples)),
        ]
    }
}
