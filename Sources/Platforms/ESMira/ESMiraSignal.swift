// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// At which times of a day prompts come; `ESMiraCycle` has the days. `ESMiraSchedule` asks both.
///
/// A random signal divides its window into `frequency` equal blocks and draws one time in each. All
/// times are in milliseconds.
struct ESMiraSignal: Sendable, Hashable {
    /// Random times are drawn from it; a signal that is not random comes at its start.
    let window: ESMiraDayWindow
    var isRandom = false
    /// Times are drawn on the first day only; every later day has one prompt, at the last of these times.
    var isFixed = false
    /// Prompts a day.
    var frequency = 1
    /// The least time between two prompts.
    var between = 60 * 60_000

    /// False where the blocks of a day are shorter than the least time between prompts: then there
    /// are none, as in the app.
    var fits: Bool { !isRandom || frequency == 1 || block >= between }

    private var block: Int { (window.end - window.start) / frequency }

    /// The times of a day; `generator` is that day's.
    ///
    /// As in the app (`Scheduler.scheduleSignalTime`, ESMira-apps f750e58) the time that passes from the start
    /// of the window is drawn, so that `between` is kept where clocks change within it.
    func times(on day: LocalDate, in zone: Zone, _ generator: SplitMix64) -> [DueTime] {
        let start = DueTime(day.at(millisecond: window.start), in: zone)
        guard isRandom else { return [start] }
        return drawn(generator).map { DueTime(start.instant + .milliseconds($0), in: zone) }
    }

    /// In milliseconds from the start of the window.
    private func drawn(_ generator: SplitMix64) -> [Int] {
        var generator = generator
        var start = 0
        var length = block
        return (0..<frequency).map { _ in
            let time = start + Int(Double(length) * generator.unit())
            start += length
            length = block
            // The time is late in its block: the next block begins later, but ends where it would have.
            if start - time < between {
                let lack = between - (start - time)
                start += lack
                length = block - lack
            }
            return time
        }
    }
}

extension ESMiraSignal {
    /// A signal once a day, at the time that the wall clock shows at `local`; `day` is the one it belongs to.
    init(at local: LocalDateTime, of day: LocalDate) {
        let days = local.date.daysSinceEpoch - day.daysSinceEpoch
        let millisecond = days * ESMiraDayWindow.day + Int(local.time.nanoseconds / 1_000_000)
        self.init(window: ESMiraDayWindow(millisecond, millisecond))
    }
}
