// SPDX-License-Identifier: Apache-2.0
import Base

/// What a kick counter counted, made by `KickCounter`. The event log keeps it by the names of its properties
/// (`PerformanceRecord`).
package struct KickRecord: PerformanceRecord {
    package enum End: String, LoggedRecord { case count, duration, participant }
    /// Each kick, since the press that began the counting, which is none itself.
    package let kicks: [Duration]
    /// From the first press to the end of counting.
    package let measured: Duration
    package let end: End
    /// As the participant confirmed it; differs from `kicks.count` where it was corrected.
    package let count: Int
    /// As the participant confirmed it; whole seconds.
    package let duration: Duration
    /// How often the device was restarted while it counted.
    package var restarts = 0
    /// Part of `measured` could not be taken from any clock: the device was off and its wall clock
    /// not trusted.
    var isTimeUncertain = false

    package static var kind: String { "kicks" }

    package var figures: [PerformanceFigure] {
        [
            PerformanceFigure("duration", .whole(duration.components.seconds)),
            PerformanceFigure("count", .whole(Int64(count))),
        ]
    }

    package var mainFigure: String { "count" }

    /// With the names of ResearchKit's result where it has one; times in seconds.
    package var fields: [JSONText.Member] {
        [
            .init("duration", .seconds(duration)), .init("count", .integer(Int64(count))),
            .init("kicks", .array(kicks.map { .seconds($0) })), .init("measuredDuration", .seconds(measured)),
            .init("end", .string(end.rawValue)), .init("restarts", .integer(Int64(restarts))),
            .init("isTimeUncertain", .boolean(isTimeUncertain)),
        ]
    }
}
