// SPDX-License-Identifier: Apache-2.0

extension HoldTimes {
    /// Every hold and every repetition lasts this many times as long.
    private var factor: Double { self == .slow ? 2.5 : 1 }

    /// For the times of `HoldTable` and `RunLimits`.
    func stretched(_ duration: Duration) -> Duration {
        self == .usual ? duration : .milliseconds(Int((duration.seconds * factor * 1_000).rounded()))
    }

    /// A button that is pressed again sooner than this after its release was not let go: the finger
    /// trembled. Zero = every release counts at once.
    ///
    /// Tremor of essential tremor is 4 to 12 Hz, of Parkinson's disease 3 to 8 Hz (Tsuji and others
    /// 2019, Sensors, PMC6806079), so that a gap is shorter than a third of a second. It is the
    /// delay of XKB's BounceKeys.
    package var bridge: Duration { self == .slow ? .milliseconds(300) : .zero }
}
