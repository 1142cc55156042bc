// SPDX-License-Identifier: Apache-2.0

/// What the kernel counts beside CLOCK_MONOTONIC: the bare oscillator, and the time for which the
/// machine was suspended. The agent's clock (`ClockDiscipline`, `SuspensionWatch`) measures drift and notices
/// sleep by them.
package struct ClockMarks: Sendable, Hashable {
    /// CLOCK_MONOTONIC_RAW, which NTP does not slew (clock_gettime(2)); nil where there is none,
    /// and no drift is measured.
    package var raw: MonotonicTime?
    /// How long the machine was suspended in this boot, as far as the kernel knows: CLOCK_BOOTTIME
    /// goes on meanwhile.
    package var slept: Duration
    /// How often it was suspended in this boot, whether or not it is known for how long; nil where
    /// the kernel does not say.
    package var suspensions: Int?

    package init(raw: MonotonicTime? = nil, slept: Duration = .zero, suspensions: Int? = nil) {
        (self.raw, self.slept, self.suspensions) = (raw, slept, suspensions)
    }
}
