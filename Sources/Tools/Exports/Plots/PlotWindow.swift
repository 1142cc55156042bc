// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The part of a recording that a picture shows, from `PlotCommand`'s options.
package struct PlotWindow: Sendable, Hashable {
    /// The device's wall time as the picture's axis shows it, stored as if it were UTC.
    package let start: Instant
    package let seconds: Double

    package init(start: Instant, seconds: Double) {
        self.start = start
        self.seconds = seconds
    }

    /// Seconds from the beginning of a recording (`span` seconds long) to that of the window; negative where the
    /// window begins earlier. Throws where the two do not overlap.
    func offset(in recording: Instant, span: Double, of path: String) throws(FileError) -> Double {
        let offset = (start - recording).seconds
        guard offset < span, offset + seconds > 0 else {
            throw .format(
                path: path,
                problem:
                    "goes from \(Self.shown(recording)) to \(Self.shown(recording + .nanoseconds(Int64(span * 1e9)))), "
                    + "without \(Self.shown(start)); use a time as the picture of the whole shows it")
        }
        return offset
    }

    private static func shown(_ time: Instant) -> String {
        LocalDateTime(time, offset: 0).description.prefix(19).description
    }

    /// The line below the picture's title: how much of the recording is shown.
    func fact(of span: Double) -> String { "\(PlotFacts.length(seconds)) of \(PlotFacts.length(span))" }
}
