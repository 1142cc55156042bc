// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// When prompts of a signal time may come: from `start` to `end` of a day, in milliseconds from local midnight;
/// past 86 400 000 it runs into the next day. `ESMiraSignal` has its times within it.
struct ESMiraDayWindow: Sendable, Hashable {
    let start: Int
    let end: Int

    static let day = 86_400_000

    /// An end before the start lies on the next day.
    init(_ start: Int, _ end: Int) {
        self.start = start
        self.end = end < start ? end + Self.day : end
    }

    /// The part of this window in which the questionnaire can be filled out; nil where there is none,
    /// or two pieces. No `hours` = all day.
    ///
    /// As in the app (`Scheduler.calculateRandomInterval`, ESMira-apps f750e58), the hours are split
    /// at midnight and the window is not, so the part of the window after midnight is cut off.
    func cut(to hours: OpenHours?) -> ESMiraDayWindow? {
        guard let hours else { return self }
        let pieces = hours.parts.compactMap { part -> (Int, Int)? in
            let (low, high) = (max(start, part.lowerBound), min(end, part.upperBound))
            return low <= high ? (low, high) : nil
        }
        return pieces.count == 1 ? ESMiraDayWindow(pieces[0].0, pieces[0].1) : nil
    }
}

extension LocalDate {
    /// Milliseconds after this day's midnight, by the wall clock.
    func at(millisecond: Int) -> LocalDateTime { LocalDateTime(self, .midnight).adding(.milliseconds(millisecond)) }
}
